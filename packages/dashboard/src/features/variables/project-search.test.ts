import { describe, expect, it } from 'vitest'
import { type ProjectSearch, projectSearch } from './project-search.ts'

describe('projectSearch', () => {
  it('takes what it knows from an address', () => {
    const search: ProjectSearch = {
      search: 'URL',
      kind: 'secret',
      type: 'none',
      differing: 'yes',
      missing: 'prod',
      sort: 'status',
      variable: 'A',
      stage: 'dev',
    }
    expect(projectSearch({ ...search })).toEqual(search)
  })

  it('drops what it does not know, what is empty, and the usual order', () => {
    expect(projectSearch({ search: '', kind: 'other', type: 'x', differing: '1', sort: 'name', value: 'v' })).toEqual(
      {},
    )
  })

  it('keeps names that look like other types', () => {
    expect(projectSearch({ variable: 1, stage: 'dev', other: 'x' })).toEqual({ variable: '1', stage: 'dev' })
    expect(projectSearch({ variable: ['A'], search: 'url' })).toEqual({ search: 'url' })
  })
})
