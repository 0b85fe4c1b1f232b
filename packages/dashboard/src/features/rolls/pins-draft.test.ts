import { expect, test } from 'vitest'
import { limits } from '@rollkey/contract/rules'
import { pinsDraftOf, pinsOf } from './pins-draft.ts'

test('pins are the lines of both lists, without empty ones', () => {
  expect(pinsOf({ a: 'user-1\n\n user-2 \n', b: 'Lovelace, Ada' }, undefined)).toEqual({
    pins: { a: ['user-1', 'user-2'], b: ['Lovelace, Ada'] },
    problems: {},
  })
})

test('any stored seed can be edited', () => {
  const pins = { a: ['', ' spaces ', 'line\nbreak', '"quoted"'].slice(1), b: ['Zoë-🚀'] }
  expect(pinsOf(pinsDraftOf(pins), undefined)).toEqual({ pins, problems: {} })
})

test.each([
  [{ a: 'x\n\ny\nx', b: '' }, { a: 'Line 4 repeats line 1. Remove one of them.' }],
  [{ a: 'x\ny', b: '\ny' }, { b: 'Line 2 is among the seeds that get on, too. Remove one of them.' }],
  [{ a: 'x'.repeat(limits.seedBytes + 1), b: '' }, { a: 'Line 1 is not a seed (1 to 1,024 bytes). Correct it.' }],
  [{ a: '"x', b: '' }, { a: 'A quoted seed is not complete. End it with ", or remove its quotes.' }],
  [
    { a: '', b: Array.from({ length: 1_001 }, (_, at) => `user-${at}`).join('\n') },
    { b: 'These are 1,001 seeds (at most 1,000). Remove some, or use a rule.' },
  ],
])('problems of lists are shown at the list, case %#', (draft, problems) => {
  expect(pinsOf(draft, { labels: { a: 'on', b: 'off' } }).problems).toEqual(problems)
})
