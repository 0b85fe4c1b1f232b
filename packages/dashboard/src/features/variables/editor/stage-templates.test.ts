import type { Digested } from '@rollkey/contract'
import { expect, it } from 'vitest'
import { dependentsIn } from './stage-templates.ts'

it('reads the templates of a stage once for all keys', () => {
  let reads = 0
  const templates = ['A', 'B', 'C'].map((source, at): Digested => ({
    name: `${source}_URL`,
    kind: 'secret',
    digests: {},
    get sources() {
      if (at === 0) reads++
      return [source]
    },
  }))
  const variables = [...templates, { name: 'A', kind: 'secret', digests: {} } as const]
  expect(['A', 'AB', 'B'].map((name) => dependentsIn(variables, name))).toEqual([['A_URL'], [], ['B_URL']])
  const once = reads
  expect(dependentsIn([...variables], 'A')).toEqual(['A_URL'])
  expect(reads).toBe(2 * once)
})
