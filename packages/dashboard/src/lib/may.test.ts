import { expect, it } from 'vitest'
import { mayBy } from './may.ts'

const may = mayBy([
  { verbs: ['list', 'read'] },
  { projectSlug: 'shop', verbs: ['list', 'read', 'write'] },
  { projectSlug: 'shop', stageSlug: 'prod', verbs: ['list'] },
  { projectSlug: 'secret', stageSlug: 'dev', verbs: [] },
])

it.each([
  ['read', {}, true],
  ['write', {}, false],
  ['write', { projectSlug: 'shop' }, true],
  ['write', { projectSlug: 'shop', stageSlug: 'dev' }, true],
  ['read', { projectSlug: 'shop', stageSlug: 'prod' }, false],
  ['list', { projectSlug: 'shop', stageSlug: 'prod' }, true],
  ['read', { projectSlug: 'blog', stageSlug: 'prod' }, true],
  ['list', { projectSlug: 'secret', stageSlug: 'dev' }, false],
] as const)('tells whether a person may %s at %j', (verb, place, allowed) => {
  expect(may(verb, place)).toBe(allowed)
})

it('allows nothing before the service has answered', () => {
  expect(mayBy([])('list')).toBe(false)
})
