import { expect, it } from 'vitest'
import { accessSearch, holdersSearch } from './access-search.ts'

it('keeps what the pages know', () => {
  expect(accessSearch({ search: 'grace', other: 1 })).toEqual({ search: 'grace' })
  expect(accessSearch({ search: '' })).toEqual({})
  const asked = { grant: 'read', person: 'grace', stage: 'prod' }
  expect(accessSearch(asked)).toEqual(asked)
  expect(accessSearch({ ...asked, grant: 'own' })).toEqual({})
  const search = { stage: 'prod', verb: 'write', at: '2026-11-22T14:30' }
  expect(holdersSearch(search)).toEqual(search)
  expect(holdersSearch({ stage: 1, verb: 'own', at: 'yesterday' })).toEqual({})
})
