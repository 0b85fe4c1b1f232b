import type { Digested } from '@rollkey/contract'
import { expect, it } from 'vitest'
import { compared, nextToCopy, usualNames } from './compared.ts'

function secret(name: string, value: string, more: Partial<Digested> = {}): Digested {
  return { name, kind: 'secret', digests: { value }, ...more }
}

it('groups the variables of two stages by what a copy would do', () => {
  const groups = compared(
    [secret('A', '1'), secret('B', '1'), secret('C', '1'), secret('D', '1', { declaredType: 'int64' })],
    [secret('B', '1'), secret('C', '2'), secret('D', '1'), secret('E', '1')],
  )
  const names = Object.fromEntries([...groups].map(([group, pairs]) => [group, pairs.map(({ name }) => name)]))
  expect(names).toEqual({ missing: ['A'], same: ['B'], different: ['C', 'D'], extra: ['E'] })
})

it('takes values that do not open for different', () => {
  const closed = { ...secret('A', '1'), digests: {} }
  expect([...compared([closed], [closed]).keys()]).toEqual(['different'])
})

it('begins a promotion with what is missing, and another copy with the names that differ, without what is proposed', () => {
  const closed = { ...secret('Z', '1'), digests: {} }
  const all = compared(
    [...['A', 'B', 'C', 'D'].map((name) => secret(name, '1')), closed],
    [secret('B', '2'), secret('D', '1'), secret('E', '1')],
  )
  const isProposed = (name: string): boolean => name === 'C'
  expect([...usualNames(all, 'missing', () => false)]).toEqual(['A', 'C'])
  expect([...usualNames(all, 'missing', isProposed)]).toEqual(['A'])
  expect([...usualNames(all, ['B', 'C', 'D', 'E', 'Z'], isProposed)]).toEqual(['B'])
})

it('goes on after what was copied, or at the beginning', () => {
  const all = compared(
    ['A', 'B', 'C', 'D'].map((name) => secret(name, '1')),
    [secret('B', '2'), secret('D', '1'), secret('E', '1')],
  )
  // A and C are missing, B differs.
  const after = (...names: string[]) => nextToCopy(all, new Set(names), () => false)
  expect([after('A'), after('C'), after('A', 'B'), after('B', 'C'), after('A', 'B', 'C')]).toEqual([
    'C',
    'B',
    'C',
    'A',
    undefined,
  ])
  expect(nextToCopy(all, new Set(['A']), (name) => name === 'C')).toBe('B')
})
