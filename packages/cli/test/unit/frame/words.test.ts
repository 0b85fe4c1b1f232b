/** Tests that a terminal shows the words of the dashboard, and a pipe those of the API. */
import { attributeNames, declaredTypes, exposures, kindNames } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'
import { attributeFact, kindFact, seenKindOf, typeNames } from '../../../../dashboard/src/data/variables/labels.ts'
import { aspectText, kindText, typeText } from '../../../src/frame/words.ts'

const person = { isTerminal: true }
const script = { isTerminal: false }

test.each(declaredTypes)('a terminal calls the type %s as the dashboard does', (type) => {
  expect(typeText(type, person)).toBe(typeNames[type])
  expect(typeText(type, script)).toBe(type)
})

test.each(attributeNames)('a terminal calls the attribute %s as the dashboard does', (name) => {
  expect(aspectText(name, person)).toBe(attributeFact(name, '').trim())
  expect(aspectText(name, script)).toBe(name)
})

test.each(kindNames.flatMap((kind) => exposures.map((exposure) => ({ kind, exposure }))))(
  'a terminal calls $kind of exposure $exposure as the dashboard does',
  (variable) => expect(kindText(variable, person)).toBe(kindFact(seenKindOf(variable))),
)

test('names of a newer service appear as they are', () => {
  expect([typeText('uuid', person), aspectText('toString', person)]).toEqual(['uuid', 'toString'])
})
