import type { ListedVariable } from '@rollkey/contract'
import { expect, it } from 'vitest'
import { unusedIn } from './unused.ts'

const readAtMs = Date.UTC(2026, 10, 30)

function read(days: Record<string, string | undefined>) {
  const variables = Object.entries(days).map(([name, lastEvaluatedDay]): ListedVariable => ({
    name,
    kind: 'secret',
    createdAtMs: 0,
    updatedAtMs: 0,
    ...(lastEvaluatedDay !== undefined && { lastEvaluatedDay }),
  }))
  return { variables, readAtMs }
}

it('calls a variable unused if every stage that has it does not use it', () => {
  const dev = read({ BOTH: '2026-11-29', DEV_ONLY: undefined, PROD: undefined, NEITHER: '2026-09-01' })
  const prod = read({ BOTH: '2026-11-29', PROD: '2026-11-29', NEITHER: undefined })
  expect([...unusedIn([dev, prod])]).toEqual(['DEV_ONLY', 'NEITHER'])
})

it('knows none until all stages are read', () => {
  expect([...unusedIn([read({ A: undefined }), undefined])]).toEqual([])
})
