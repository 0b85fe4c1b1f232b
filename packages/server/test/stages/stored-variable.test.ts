import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { VariableRow } from '../../src/storage/stages.ts'
import { packVariable, unpackVariable } from '../../src/stages/payloads.ts'
import { storedVariables, type StoredVariable } from '../../src/stages/stored-variable.ts'

function rowOf(name: string, row: Partial<VariableRow> = {}): VariableRow {
  return {
    name,
    kind: 'secret',
    declared_type: 'string',
    facets: '{"description":"A key."}',
    sealed: packVariable({ payloads: [randomBytes(80)] }),
    created_at_ms: 1_700_000_000_000,
    updated_at_ms: 1_700_000_000_001,
    updated_by: 'user',
    ...row,
  }
}

/** Returns the memory that holds the values. */
function chunksOf(variables: readonly StoredVariable[]): Set<ArrayBufferLike> {
  return new Set(variables.flatMap(({ payloads }) => payloads.map(({ buffer }) => buffer)))
}

function bytesOf(chunks: Set<ArrayBufferLike>): number {
  return [...chunks].reduce((sum, { byteLength }) => sum + byteLength, 0)
}

test('variables have what their rows have, whatever the sizes of their values', () => {
  const payloads = [randomBytes(100), randomBytes(5)]
  const rows = [0, 1, 1_000, 1_023, 1_024, 100_000, 16_000, 700].map((length, index) =>
    rowOf(`N${index}`, { sealed: packVariable({ payloads: [randomBytes(length)] }), updated_by: `user ${index % 2}` }),
  )
  const roll = { kind: 'ab_roll', declared_type: null, facets: '{"chance":0.5}' } as const
  rows.push(rowOf('roll', { ...roll, sealed: packVariable({ payloads }) }))
  rows.push(rowOf('pinned', { ...roll, sealed: packVariable({ payloads, sealedPins: randomBytes(40) }) }))
  for (const [index, variable] of storedVariables(rows).entries()) {
    const { sealed, declared_type: declaredType, facets, ...row } = rows[index] as VariableRow
    const expected = unpackVariable(row.kind, sealed)
    expect(variable).toMatchObject({
      name: row.name,
      kind: row.kind,
      attributes: JSON.parse(facets) as object,
      size: sealed.length,
      pinBytes: expected.sealedPins?.length ?? 0,
      createdAtMs: row.created_at_ms,
      updatedAtMs: row.updated_at_ms,
      updatedBy: row.updated_by,
    })
    expect(variable.declaredType).toBe(declaredType ?? undefined)
    expect(variable.payloads).toEqual(expected.payloads)
    expect(variable.sealedPins).toEqual(expected.sealedPins)
  }
})

test('variables that are read together share their memory and equal attributes', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => rowOf(`N${index}`))
  const variables = storedVariables(rows)
  const chunks = chunksOf(variables)
  expect(chunks.size).toBeLessThan(10)
  const stored = rows.reduce((sum, { sealed }) => sum + sealed.length, 0)
  expect(bytesOf(chunks)).toBeLessThan(1.02 * stored)
  expect(new Set(variables.map(({ attributes }) => attributes)).size).toBe(1)
})

test('a few small variables take no more memory than they have bytes', () => {
  const rows = [rowOf('A'), rowOf('B')]
  expect(bytesOf(chunksOf(storedVariables(rows)))).toBe(2 * (rows[0] as VariableRow).sealed.length)
})

test('a large value has separate memory, which ends with it, and none keeps the memory of its row', () => {
  const sealed = packVariable({ payloads: [randomBytes(5_000)] })
  const message = Buffer.concat([randomBytes(50_000), sealed])
  const rows = [rowOf('small'), rowOf('large', { sealed: message.subarray(50_000) }), rowOf('other')]
  const [small, large, other] = storedVariables(rows) as [StoredVariable, StoredVariable, StoredVariable]
  expect(bytesOf(chunksOf([large]))).toBe(sealed.length)
  expect(chunksOf([small, large, other]).size).toBe(2)
  expect(large.payloads[0]).toEqual(unpackVariable('secret', sealed).payloads[0])
})
