import { expect, test } from 'vitest'
import { ranked } from './rank.ts'

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
