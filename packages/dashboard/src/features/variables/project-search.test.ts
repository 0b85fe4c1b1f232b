import { expect, it } from 'vitest'
import { projectSearch } from './project-search.ts'

it('keeps the parameters of a project, and names that look like other types', () => {
  expect(projectSearch({ variable: 1, stage: 'dev', other: 'x' })).toEqual({ variable: '1', stage: 'dev' })
  expect(projectSearch({ variable: ['A'], search: 'url' })).toEqual({ search: 'url' })
})
