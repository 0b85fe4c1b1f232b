import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TimeSlices } from '../../src/concurrency/time-slices.ts'
import { SlicedTx } from '../../src/storage/sliced-tx.ts'
import type { Tx } from '../../src/storage/sql.ts'

/** Returns a transaction that notes its statements, of which `fails` fails. */
function noting(fails?: string): { readonly tx: Tx; readonly ran: string[] } {
  const ran: string[] = []
  const all = async (text: string): Promise<never[]> => {
    ran.push(text)
    if (text === fails) throw new Error(`${text} failed`)
    return []
  }
  return { ran, tx: { all, script: async (text) => void (await all(text)) } }
}

test('a long transaction lets others run between its statements, which keep their order', async () => {
  const { tx, ran } = noting()
  const sliced = new SlicedTx(tx, new TimeSlices(0), 1)
  const sent = Promise.all([sliced.all('A'), sliced.script('B'), sliced.all('C')])
  const seen: number[] = []
  while (ran.length < 3) {
    seen.push(ran.length)
    await nextTurn()
  }
  await sent
  expect(ran).toEqual(['A', 'B', 'C'])
  expect([...new Set(seen)]).toEqual([1, 2])
})

test('a transaction with few statements runs at once, however long they take', () => {
  const { tx, ran } = noting()
  const sliced = new SlicedTx(tx, new TimeSlices(0), 3)
  for (const text of ['A', 'B', 'C', 'D']) void sliced.all(text)
  expect(ran).toEqual(['A', 'B', 'C'])
})

test('a statement that fails ends neither the wait of the next one nor tells another of it', async () => {
  const { tx, ran } = noting('A')
  const sliced = new SlicedTx(tx, new TimeSlices(0), 1)
  const [a, b] = await Promise.allSettled([sliced.all('A'), sliced.all('B')])
  expect(a).toMatchObject({ status: 'rejected', reason: new Error('A failed') })
  expect(b?.status).toBe('fulfilled')
  expect(ran).toEqual(['A', 'B'])
})
