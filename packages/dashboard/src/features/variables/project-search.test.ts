import { describe, expect, it } from 'vitest'
import { type ProjectSearch, projectSearch } from './project-search.ts'

describe('projectSearch', () => {
  it('takes what it knows from an address', () => {
    const search: ProjectSearch = {
      search: 'URL',
      kind: 'secret',
      type: 'none',
      status: 'different',
      sort: 'status',
      variable: 'A',
      stage: 'dev',
    }
    expect(projectSearch({ ...search })).toEqual(search)
    expect(projectSearch({ missing: 'prod' })).toEqual({ missing: 'prod' })
  })

  it('takes one status, and the parameter of former addresses', () => {
    expect(projectSearch({ status: 'same', missing: 'prod' })).toEqual({ missing: 'prod' })
    expect(projectSearch({ differing: 'yes' })).toEqual({ status: 'different' })
  })

  it('drops what it does not know, what is empty, and the usual order', () => {
    expect(projectSearch({ search: '', kind: 'other', type: 'x', status: 'other', sort: 'name', value: 'v' })).toEqual(
      {},
    )
  })

  it('keeps names that look like other types', () => {
    expect(projectSearch({ variable: 1, stage: 'dev', other: 'x' })).toEqual({ variable: '1', stage: 'dev' })
    expect(projectSearch({ variable: ['A'], search: 'url' })).toEqual({ search: 'url' })
  })
})
