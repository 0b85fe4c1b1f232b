import { expect, it } from 'vitest'
import { stageSearch } from './stage-search.ts'

it('takes what an address says of a stage and a variable, and nothing else', () => {
  expect(stageSearch({ stage: 'prod', name: 'A & B', other: '1' })).toEqual({ stage: 'prod', name: 'A & B' })
  expect(stageSearch({ stage: '', name: 1 })).toEqual({})
})
