import { expect, it } from 'vitest'
import { foundIn } from './found.ts'

function match(projectSlug: string, stageSlug: string, name: string, declaredType?: 'int64') {
  return { projectSlug, stageSlug, name, kind: 'secret', ...(declaredType && { declaredType }) } as const
}

it('puts the stages of a variable together, unless it is another kind of thing there', () => {
  const found = foundIn([
    match('api', 'dev', 'PORT'),
    match('shop', 'dev', 'PORT'),
    match('shop', 'prod', 'PORT', 'int64'),
    match('shop', 'test', 'PORT'),
    match('shop', 'dev', 'PORT_2'),
  ])
  expect(found.map((each) => [each.projectSlug, each.name, each.stageSlugs, each.declaredType])).toEqual([
    ['api', 'PORT', ['dev'], undefined],
    ['shop', 'PORT', ['dev', 'test'], undefined],
    ['shop', 'PORT', ['prod'], 'int64'],
    ['shop', 'PORT_2', ['dev'], undefined],
  ])
})
