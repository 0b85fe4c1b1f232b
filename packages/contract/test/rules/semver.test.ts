import { isVersionIn, isVersionRange } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'

// From the documentation of npm's semver (https://github.com/npm/node-semver#ranges), with the versions around each bound. All
// were compared with its answers.
test.each([
  ['1.2.3', ['1.2.3', '1.2.3+build', 'v1.2.3'], ['1.2.4', '1.2.3-a', '1.2', '', 'x', '01.2.3', '1.2.3.4']],
  ['=1.2.3', ['1.2.3'], ['1.2.2']],
  ['>1.2.3', ['1.2.4', '2.0.0'], ['1.2.3', '1.2.4-a']],
  ['>=1.2.7 <1.3.0', ['1.2.7', '1.2.99'], ['1.2.6', '1.3.0', '1.1.0']],
  ['1.2.7 || >=1.2.9 <2.0.0', ['1.2.7', '1.2.9', '1.4.6'], ['1.2.8', '2.0.0']],
  ['>1.2.3-alpha.3', ['1.2.3-alpha.7', '1.2.3', '3.4.5'], ['3.4.5-alpha.9', '1.2.3-alpha.3', '1.2.3-alpha']],
  ['*', ['0.0.0', '9.9.9'], ['1.0.0-a']],
  ['1.x', ['1.0.0', '1.99.0'], ['0.9.9', '2.0.0', '2.0.0-0']],
  ['1.2.*', ['1.2.0', '1.2.9'], ['1.3.0', '1.1.9']],
  ['1', ['1.0.0', '1.9.9'], ['2.0.0']],
  ['>1', ['2.0.0'], ['1.9.9']],
  ['>1.2', ['1.3.0'], ['1.2.9']],
  ['<=1.2', ['1.2.9', '0.1.0'], ['1.3.0']],
  ['<1.2', ['1.1.9'], ['1.2.0']],
  ['<*', [], ['0.0.0', '1.0.0']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.3.0', '1.2.2']],
  ['~1', ['1.0.0', '1.9.0'], ['2.0.0']],
  ['~1.2.3-beta.2', ['1.2.3-beta.4', '1.2.3'], ['1.2.4-beta.2', '1.2.3-beta.1', '1.2.3-beta']],
  ['^1.2.3', ['1.2.3', '1.9.0'], ['2.0.0', '1.2.2']],
  ['^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.4']],
  ['^0.0', ['0.0.9'], ['0.1.0']],
  ['^0', ['0.9.9'], ['1.0.0']],
  ['^ 1.2', ['1.2.0'], ['1.1.9']],
  // Section 11 of Semantic Versioning: numbers before texts, fewer identifiers before more, a release after its pre-releases.
  ['>=1.0.0-alpha', ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta.11', '1.0.0'], ['1.0.0-99', '1.0.0-2']],
])('%s contains %j and not %j', (range, inside, outside) => {
  expect(isVersionRange(range)).toBe(true)
  expect(inside.filter((version) => !isVersionIn(version, range))).toEqual([])
  expect(outside.filter((version) => isVersionIn(version, range))).toEqual([])
})

test.each([
  '',
  ' ',
  '||',
  '1 ||',
  'latest',
  '1.2 - 1.4',
  '1.x.3',
  '>=',
  '>>1',
  '1.2.3.4',
  '01.2.3',
  '1.2.3-01',
  '9'.repeat(16),
])('%j is not a range and contains nothing', (range) => {
  expect(isVersionRange(range)).toBe(false)
  expect(isVersionIn('1.2.3', range)).toBe(false)
})

test('a long text takes no long time', () => {
  // In a square of their length, or worse, these would take hours.
  expect(isVersionIn(`1.2.3-${'a.'.repeat(5_000_000)}`, '*')).toBe(false)
  expect(isVersionRange(`${'1-'.repeat(5_000_000)}x`)).toBe(false)
  expect(isVersionRange(`1.2.3-${'1-'.repeat(5_000_000)}.`)).toBe(false)
})
