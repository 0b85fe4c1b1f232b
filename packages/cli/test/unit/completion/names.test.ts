import { expect, test } from 'vitest'
import { typedAfter } from '../../../src/completion/names.ts'
import { commands } from '../../../src/commands/index.ts'
import { copy } from '../../../src/commands/copy.ts'
import { set } from '../../../src/commands/set.ts'

test.each([
  [[], { args: [], flags: {} }],
  [['A', 'x'], { args: ['A', 'x'], flags: {} }],
  [['--stage', 'prod', 'A'], { args: ['A'], flags: { stage: 'prod' } }],
  [['--stage=prod', '--plain', 'A'], { args: ['A'], flags: { stage: 'prod' } }],
  [['A', '--description', 'text', '--project', 'shop'], { args: ['A'], flags: { project: 'shop' } }],
  [['A', '--stage'], { args: ['A'], flags: {}, open: '--stage' }],
  [['--config', 'x.json'], { args: [], flags: {}, config: 'x.json' }],
])('typedAfter reads %j', (words, expected) => {
  expect(typedAfter(set, words)).toEqual(expected)
})

test('typedAfter tells flags from options with a value', () => {
  expect(typedAfter(copy, ['dev', '--overwrite', 'prod', '-y', 'A']).args).toEqual(['dev', 'prod', 'A'])
})

test.each([
  ['<CHANGE>', 'change'],
  ['<STAGE>', 'stage'],
])('every command completes %s', (arg, completed) => {
  const about = commands.filter(({ args = '' }) => args.startsWith(arg))
  expect(about.length).toBeGreaterThan(2)
  expect(about.filter(({ completes }) => completes?.[0] !== completed)).toEqual([])
})
