import { expect, test } from 'vitest'
import type { TargetingRule } from '@rollkey/contract/rules'
import { servedValues, splitText } from './labels.ts'

const rules: readonly TargetingRule[] = [{ when: { plan: { equals: 'pro' } }, then: 'a' }]

test.each([
  [{ chance: 0 }, 'All B', ['old']],
  [{ chance: 1 }, 'All A', ['new']],
  [{ chance: 0.25 }, 'A 25 %', ['new', 'old']],
  [{ chance: 0, rules }, 'A 0 %', ['new', 'old']],
  [{ chance: 1, pinned: { a: 0, b: 1 } }, 'A 100 %', ['new', 'old']],
])('a roll with %j is %j in the table, and serves %j', (settings, text, served) => {
  const roll = { kind: 'ab_roll' as const, ...settings }
  expect(splitText(roll)).toBe(text)
  expect(servedValues(['new', 'old'], roll)).toEqual(served)
})
