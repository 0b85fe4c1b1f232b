import { builtInRoles } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'
import { mayText, roleText } from './labels.ts'

test('says what each built-in role is for, and what another one allows', () => {
  const texts = Object.entries(builtInRoles).map(([name, verbs]) => roleText({ name, verbs }))
  expect(new Set(texts).size).toBe(Object.keys(builtInRoles).length)
  expect(texts.filter((text) => text.startsWith('Allows'))).toEqual([])
  expect(roleText({ name: 'support', verbs: ['list', 'read'] })).toBe('Allows to list and read.')
})

test.each([
  [['list'], 'see names, but no values'],
  [['read', 'list'], 'see names and read values'],
  [['list', 'manage'], 'see names and manage access'],
  [[], 'nothing'],
] as const)('says in words what %j allows', (verbs, text) => {
  expect(mayText(verbs)).toBe(text)
})
