import { builtInRoles } from '@rollkey/contract/rules'
import { expect, test } from 'vitest'
import { roleText } from './labels.ts'

test('says what each built-in role is for, and what another one allows', () => {
  const texts = Object.entries(builtInRoles).map(([name, verbs]) => roleText({ name, verbs }))
  expect(new Set(texts).size).toBe(Object.keys(builtInRoles).length)
  expect(texts.filter((text) => text.startsWith('Allows'))).toEqual([])
  expect(roleText({ name: 'support', verbs: ['list', 'read'] })).toBe('Allows to list and read.')
})
