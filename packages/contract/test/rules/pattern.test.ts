import { matchesPattern, maxMatchedCharacters, problemOfPattern } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'
import { isLong } from '../../../server/testkit/long.ts'
import { Random } from '../../../server/testkit/random.ts'

const random = new Random(31)
const cases = isLong ? 40_000 : 2_000

const atoms = [
  'a',
  'b',
  'é',
  '😀',
  '\\d',
  '\\W',
  '.',
  '\\.',
  '[ab]',
  '[^a]',
  '[a-c\\d]',
  '[^\\w-]',
  '\\x61',
  '\\u{62}',
  '[]',
  '^',
  '$',
  '',
]

function patternOf(depth: number): string {
  const kind = random.int(depth > 0 ? 9 : 4)
  if (kind < 4) return random.pick(atoms)
  if (kind < 6)
    return `(${random.pick(['', '?:'])}${patternOf(depth - 1)})${random.pick(['', '*', '+', '?', '{2}', '{0,2}', '{1,3}', '{2,4}', '{2,}', '*?', '{0}'])}`
  if (kind < 8) return patternOf(depth - 1) + patternOf(depth - 1)
  return `(?:${patternOf(depth - 1)}|${patternOf(depth - 1)})`
}

test('random patterns match what they match in JavaScript', () => {
  let matches = 0
  for (let made = 0; made < cases; made++) {
    const pattern = patternOf(4)
    if (problemOfPattern(pattern) !== undefined) continue
    const inJavaScript = new RegExp(pattern, 'u')
    // With more characters, the automaton remembers its states.
    const texts = made % 20 === 0 ? 40 : 6
    for (let each = 0; each < texts; each++) {
      const text = Array.from({ length: random.int(6) }, () =>
        random.pick(['a', 'b', 'c', '1', '.', '-', 'é', '😀', '\n']),
      ).join('')
      const isMatch = inJavaScript.test(text)
      expect([pattern, text, matchesPattern(pattern, text)]).toEqual([pattern, text, isMatch])
      if (isMatch) matches++
    }
  }
  expect(matches).toBeGreaterThan(cases)
})

// Each takes exponential or cubic time where what failed is tried again: a hang would be the failure.
const hostilePatterns = [
  '(a+)+',
  '(a|a)*',
  '(a|ab|b)*',
  '(.?){255}',
  '(a|b)*a(a|b){120}',
  '(.*)*(.*)*(.*)*',
  '((a*)*)*',
  '(a?){127}a{127}',
  '[^x]{255}',
  '(a{1,2}){100}',
  '((((((((a|b)*)*)*)*)*)*)*)*',
  '(.*a){100}',
  '(a.*|b.*)*',
  '(?:a?b?){120}',
  '.*.*.*.*.*.*',
  '\\w+\\w+\\w+',
  '(\\s|\\S)+',
  '([ab]+a)*b*',
  '(a*b*)*',
  '(^|a)*(b|$)*',
]
const hostileTexts = [
  'a'.repeat(maxMatchedCharacters),
  'ab'.repeat(maxMatchedCharacters / 2),
  `${'a'.repeat(7)}b`.repeat(maxMatchedCharacters / 8),
  `${'b'.repeat(maxMatchedCharacters - 1)}a`,
  '😀'.repeat(maxMatchedCharacters),
  Array.from({ length: maxMatchedCharacters }, () => random.pick(['a', 'b'])).join(''),
  Array.from({ length: maxMatchedCharacters }, (_, index) => String.fromCodePoint(0x400 + 5 * index)).join(''),
  'é'.repeat(maxMatchedCharacters),
  '\n'.repeat(maxMatchedCharacters),
  '0'.repeat(maxMatchedCharacters),
]

test('200 hostile patterns and texts are answered', () => {
  const answers = hostilePatterns.flatMap((pattern) =>
    hostileTexts.map((text) => matchesPattern(`^${pattern}\\u{1}`, text)),
  )
  expect(answers).toEqual(Array.from({ length: 200 }, () => false))
})

test('a text with more states than are remembered is answered', () => {
  for (let made = 0; made < 20; made++) {
    const text = Array.from({ length: 500 + random.int(1_000) }, () => random.pick(['a', 'b'])).join('')
    expect([text, matchesPattern('^(a|b)*a(a|b){120}$', text)]).toEqual([text, text.at(-121) === 'a'])
  }
})

test.each([
  ['(?=a)', 'has lookaround, a name or flags in a group: only (…) and (?:…) are supported'],
  ['(?<name>a)', 'has lookaround, a name or flags in a group: only (…) and (?:…) are supported'],
  ['(a)\\1', 'has a backreference, which takes more than linear time'],
  ['\\bword', 'has the escape \\b, which is not supported'],
  ['\\p{L}', 'has the escape \\p, which is not supported'],
  ['a**', 'repeats a repetition: put it in a group, as in (?:a+)*'],
  ['^*', 'repeats "^" or "$"'],
  ['a{3,2}', 'has a "{" that is not a repetition such as {2} or {2,5}'],
  ['a{', 'has a "{" that is not a repetition such as {2} or {2,5}: write \\{ for the character'],
  ['+', 'has a "+" with nothing to repeat: write \\+ for the character'],
  ['a]', 'has a "]" without its opening bracket: write \\] for the character'],
  ['[z-a]', 'has a range in brackets that is not one, such as [z-a] or [\\w-z]'],
  ['[a', 'has a "[" without its "]"'],
  ['(a', 'has a "(" without its ")"'],
  ['a)', 'has a ")" without its "("'],
  ['\\u{110000}', 'has an incomplete escape \\u'],
  ['\\', 'ends with a "\\"'],
  ['(a|b){129}', 'is too large: repetitions included, it may have 256 characters'],
  ['.{257}', 'is too large: repetitions included, it may have 256 characters'],
  ['((((){99}){99}){99}){99}', 'is too large: repetitions included, it may have 256 characters'],
  ['a'.repeat(513), 'must have at most 512 characters'],
])('%s is not a pattern: it %s', (pattern, problem) => {
  expect(problemOfPattern(pattern)).toBe(problem)
  expect(matchesPattern(pattern, 'a')).toBe(false)
})

test.each(['(^)*a', '(a|b){128}', '((a)|[bc]|\\d){85}'])('%s is a pattern', (pattern) => {
  expect(problemOfPattern(pattern)).toBeUndefined()
})

test('a text is compared up to a length in characters', () => {
  expect(matchesPattern('^😀+$', '😀'.repeat(maxMatchedCharacters))).toBe(true)
  expect(matchesPattern('a', 'a'.repeat(maxMatchedCharacters + 1))).toBe(false)
})
