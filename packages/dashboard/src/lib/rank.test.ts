// cspell:ignore invte chackout checkkout chekcout checkotu chekou chakuot chekout checokut hceckout heckout
import { expect, test } from 'vitest'
import { nearlyRanked, partsWithoutMistake, ranked } from './rank.ts'

const names = ['STRIPE_KEY', 'API_KEY', 'KEYRING', 'MONKEY', 'API_URL']

function found(query: string): readonly string[] {
  return ranked(names, query, (name) => name)
}

test('a match at the start is better than one of a later word, and that better than one within a word', () => {
  expect(found('key')).toEqual(['KEYRING', 'STRIPE_KEY', 'API_KEY', 'MONKEY'])
})

test('every word of the query must match', () => {
  expect(found('api key')).toEqual(['API_KEY'])
  expect(found('api nothing')).toEqual([])
})

test('an empty query keeps all in their order', () => {
  expect(found(' ')).toEqual(names)
})

test.each([
  ['wrong', 'new_chackout'],
  ['missing', 'NEW_CHEKOUT'],
  ['additional', 'new_checkkout'],
  ['swapped', 'new chekcout'],
  ['swapped last', 'new_checkotu'],
  ['missing, of the beginning of a word', 'chekou'],
])('a letter that is %s finds the name all the same: %s', (_, query) => {
  const all = [...names, 'NEW_CHECKOUT', 'NEW_CHECKLIST']
  expect(nearlyRanked(all, query, (name) => name)).toEqual(['NEW_CHECKOUT'])
})

test('what begins with the mistyped word is first', () => {
  expect(nearlyRanked(['Members, invite', 'Invite a member'], 'invte', (name) => name)[0]).toBe('Invite a member')
})

test('two wrong letters, or one in a short word, find nothing', () => {
  for (const query of ['chakuot', 'kez', 'xew_checkout']) {
    expect(nearlyRanked(['NEW_CHECKOUT', 'KEY'], query, (name) => name)).toEqual([])
  }
})

test('one of the parts is without the mistake', () => {
  const typed = ['chackout', 'chekout', 'checkkout', 'chekcout', 'checokut', 'hceckout', 'checkotu', 'heckout']
  for (const word of typed) {
    const parts = partsWithoutMistake(`new_${word}`)
    expect(
      parts.some((part) => 'new_checkout'.includes(part) && part.length > 1),
      word,
    ).toBe(true)
  }
  expect(partsWithoutMistake('key')).toEqual([])
})
