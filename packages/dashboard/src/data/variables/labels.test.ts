import { expect, test } from 'vitest'
import type { TargetingRule } from '@rollkey/contract/rules'
import { servedText, splitText } from './labels.ts'

const rules: readonly TargetingRule[] = [{ when: { plan: { equals: 'pro' } }, then: 'a' }]

test.each([
  [{ chance: 0 }, 'All B', 'old'],
  [{ chance: 1 }, 'All A', 'new'],
  [{ chance: 0.25 }, 'A 25%', 'new · B old'],
  [{ chance: 0, rules }, 'A 0%', 'new · B old'],
  [{ chance: 1, pinned: { a: 0, b: 1 } }, 'A 100%', 'new · B old'],
])('a roll with %j is %j in the table, and serves %j', (settings, text, served) => {
  const roll = { kind: 'ab_roll' as const, ...settings }
  expect(splitText(roll)).toBe(text)
  expect(servedText(['new', 'old'], roll)).toBe(served)
})

test('a rotation names both of its values, since its chance is that of the new one', () => {
  const rotation = { kind: 'ab_roll', chance: 0.25, rotating: true } as const
  expect(`${splitText(rotation)} ${servedText(['new', 'old'], rotation)}`).toBe('New 25% A new · B old')
})
