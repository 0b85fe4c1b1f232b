import { expect, test } from 'vitest'
import type { TargetingRule } from '@rollkey/contract/rules'
import { servedText, splitText } from './labels.ts'

const rules: readonly TargetingRule[] = [{ when: { plan: { equals: 'pro' } }, then: 'a' }]

test.each([
  [{ chance: 0 }, 'All B', 'old'],
  [{ chance: 1 }, 'All A', 'new'],
  [{ chance: 0.25 }, 'A 25%', 'A new · B old'],
  [{ chance: 0, rules }, 'A 0%', 'A new · B old'],
  [{ chance: 1, pinned: { a: 0, b: 1 } }, 'A 100%', 'A new · B old'],
])('a roll with %j is %j in the table, and serves %j', (settings, text, served) => {
  const roll = { kind: 'ab_roll' as const, ...settings }
  expect(splitText(roll)).toBe(text)
  expect(servedText(['new', 'old'], roll)).toBe(served)
})
