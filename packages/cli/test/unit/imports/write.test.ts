import { RollkeyError, type Write, type WriteEntry } from '@rollkey/sdk'
import { describe, expect, test } from 'vitest'
import { batchesOf, writeAll } from '../../../src/imports/write.ts'

function secrets(count: number, value: string): WriteEntry[] {
  return Array.from({ length: count }, (_, index) => ({ name: `N${index}`, kind: 'secret', value }))
}

describe('batches of an import', () => {
  test('have 1,000 entries at most, in order', () => {
    const entries = secrets(2_001, 'x')
    const batches = batchesOf(entries)
    expect(batches.map(({ length }) => length)).toEqual([1_000, 1_000, 1])
    expect(batches.flat()).toEqual(entries)
    expect(batchesOf([])).toEqual([])
  })

  test.each([
    ['plain', 'x'.repeat(65_536)],
    ['escaped', '\u0001'.repeat(65_536)],
    ['of more bytes than characters', '用'.repeat(21_845)],
  ])('fit into a body of 4 MiB: %s', (_, value) => {
    const entries = secrets(70, value)
    const sizes = batchesOf(entries).map((batch) => Buffer.byteLength(JSON.stringify({ entries: batch })))
    expect(Math.max(...sizes)).toBeLessThan(4 * 1024 * 1024 - 2_000)
    // None could have been left out.
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(3.5 * 1024 * 1024)
    expect(batchesOf(entries).flat()).toHaveLength(70)
  })
})

describe('writing all', () => {
  /** Returns a client that accepts `maxWrites` writes and refuses the next. */
  function clientThatTakes(maxWrites: number) {
    const writes: Write[] = []
    const write = async (change: Write) => {
      if (writes.length === maxWrites)
        throw new RollkeyError('USAGE_LIMIT_EXCEEDED', 'The storage is full.', { requestId: 'r' })
      writes.push(change)
      return { created: [], updated: [], deleted: [], revision: writes.length, requestId: 'x' }
    }
    return { writes, write }
  }

  test('gives the last revision, and reports how far it is', async () => {
    const reports: number[] = []
    expect(await writeAll(clientThatTakes(3), secrets(2_500, 'x'), (written) => reports.push(written))).toBe(3)
    expect(reports).toEqual([1_000, 2_000, 2_500])
  })

  test('says how far it came when a later batch fails', async () => {
    const client = clientThatTakes(2)
    await expect(writeAll(client, secrets(2_500, 'x'))).rejects.toMatchObject({
      code: 'USAGE_LIMIT_EXCEEDED',
      status: 7,
      requestId: 'r',
      message: 'The storage is full. The first 2000 of 2500 variables were written. Those from N2000 on were not',
    })
    expect(client.writes.map(({ entries }) => entries?.length)).toEqual([1_000, 1_000])
  })

  test('says nothing more when nothing was written', async () => {
    await expect(writeAll(clientThatTakes(0), secrets(1, 'x'))).rejects.toBeInstanceOf(RollkeyError)
  })
})
