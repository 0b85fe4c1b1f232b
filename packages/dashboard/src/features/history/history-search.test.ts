import { expect, it } from 'vitest'
import { historySearch, stageSearch } from './history-search.ts'

it('takes what an address says of a history, and nothing else', () => {
  const search = { stage: 'prod', name: 'A & B', person: 'u1', change: 'deleted', revision: '12', undo: '12' }
  expect(historySearch({ ...search, other: '1' })).toEqual(search)
  expect(historySearch({ person: 1, change: 'burned', revision: '0' })).toEqual({})
})

it('takes what an address says of a stage and a variable, and nothing else', () => {
  expect(stageSearch({ stage: 'prod', name: 'A & B', other: '1' })).toEqual({ stage: 'prod', name: 'A & B' })
  expect(stageSearch({ stage: '', name: 1 })).toEqual({})
})
