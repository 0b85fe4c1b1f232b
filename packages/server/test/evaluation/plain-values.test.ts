/** Tests what the values of a stage that are not secret cost the service. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { unlimited } from '../../src/metering/plans.ts'
import { PlainValues } from '../../src/evaluation/plain-values.ts'
import type { Stage } from '../../src/stages/stages.ts'
import { live, newNode, newStore, secret } from '../stages/node.ts'
import { silent } from '../storage/temporary.ts'

const service = new PlainValues(silent)
const overhead = 50

/** Returns a stage with this number of plain values of this size, and a large secret. */
async function stageOf(count: number, size: number): Promise<Stage> {
  const { sql, clock } = await newStore()
  const node = await newNode(sql, clock, unlimited, undefined, { variables: 10_000, bytes: 100_000_000 })
  const plain = Array.from({ length: count }, (_, i) => secret(`N${i}`, 'x'.repeat(size), { exposure: 'plain' }))
  await node.write({ entries: [...plain, secret('SECRET', 'x'.repeat(60_000))] })
  return (await node.stages.current(live)) as Stage
}

test('memory is reserved for the plain values, before they are opened', async () => {
  const stage = await stageOf(3, 100)
  const reserved: number[] = []
  expect((await service.list(stage, { reserve: (bytes) => void reserved.push(bytes) })).variables).toHaveLength(3)
  expect(reserved).toEqual([3 * (100 + overhead)])
  const refuse = () => Promise.reject(new Error('no room'))
  await expect(service.list(stage, { reserve: refuse })).rejects.toThrow('no room')
})

test('more than an evaluation may open is PAYLOAD_TOO_LARGE', async () => {
  const stage = await stageOf(260, 65_000)
  const refused = service.list(stage, { reserve: () => undefined })
  await expect(refused).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
})

test('many values are opened in slices, between which others are served', async () => {
  const stage = await stageOf(1_000, 4_000)
  const state = { turns: 0, isDone: false }
  const others = async (): Promise<void> => {
    for (; !state.isDone; state.turns++) await turn()
  }
  const [{ variables, revision }] = await Promise.all([
    service.list(stage, { reserve: () => undefined }).finally(() => (state.isDone = true)),
    others(),
  ])
  expect([variables.length, revision]).toEqual([1_000, 1])
  expect(state.turns).toBeGreaterThan(3)
})
