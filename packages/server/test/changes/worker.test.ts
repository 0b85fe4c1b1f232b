/** When a node applies changes that are due, with timers that the test moves. */
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../../src/base/api-error.ts'
import { DueChanges } from '../../src/changes/due.ts'
import { ChangeWorker } from '../../src/changes/worker.ts'
import { singleWriter } from '../../src/consistency/read-validator.ts'
import { changeById, insertChange, moveChange } from '../../src/storage/changes.ts'
import { holdChange } from '../../src/storage/due-changes.ts'
import { stageHeads } from '../../src/storage/revisions.ts'
import { insertProject, insertStage } from '../../src/storage/stages.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { changeRow } from '../../testkit/change-row.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { newStore, startMs } from '../stages/node.ts'
import { silent } from '../storage/temporary.ts'

const dueMs = startMs + 1_000
const stepMs = 10
const by = 'user_1'
const row = changeRow(startMs, { apply_at_ms: dueMs })

let sql: Sql
let clock: TestClock
/** When the change was applied. */
let appliedAtMs: number[]

beforeEach(async () => {
  ;({ sql, clock } = await newStore())
  await sql.tx(async (tx) => {
    await insertProject(tx, 'org_1', { id: 'prj_1', slug: 'shop', by, nowMs: startMs })
    await insertStage(tx, 'prj_1', { id: 'stg_1', slug: 'live', by, nowMs: startMs })
    await insertChange(tx, row)
  })
  appliedAtMs = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
})

function start(applyDue: () => Promise<void>): ChangeWorker {
  const worker = new ChangeWorker({ sql, applyDue, clock, log: silent })
  worker.start()
  return worker
}

const apply = async (): Promise<void> => {
  appliedAtMs.push(clock.now())
  await sql.tx((tx) => holdChange(tx, row, dueMs + 3_600_000))
}

async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
    clock.advance(stepMs)
    await vi.advanceTimersByTimeAsync(stepMs)
    await turn()
  }
}

test('a change is applied at its time, once', async () => {
  const worker = start(apply)
  await pass(3_000)
  expect(appliedAtMs).toEqual([dueMs])
  await worker.close()
})

test('a change that another node began and never ended is applied less than a second late', async () => {
  const begin = vi.fn<() => Promise<void>>(() => new Promise<void>(() => {}))
  start(begin)
  const worker = start(apply)
  await pass(3_000)
  expect(begin).toHaveBeenCalledOnce()
  expect(appliedAtMs).toHaveLength(1)
  expect((appliedAtMs[0] as number) - dueMs).toBeLessThan(1_000)
  await worker.close()
})

test('a change that cannot be applied fails and counts as moved, unless someone else has moved it', async () => {
  const applier = { changeOf: () => Promise.reject(new ApiError('INVALID_REQUEST')) }
  const access = { policyOf: () => ({ protectionOf: () => ({ freezes: [] }) }) }
  const due = new DueChanges({ sql, clock, access, applier, writer: {}, validator: singleWriter } as never)
  const shown = async () => {
    const [head] = await stageHeads(sql, ['prj_1'])
    return [(await changeById(sql, row.id))?.state, head?.changes_moved]
  }
  await due.apply({ ...row, digest: 'another' })
  expect(await shown()).toEqual(['open', 0])
  await due.apply(row)
  expect(await shown()).toEqual(['failed', 1])
  await sql.tx((tx) => moveChange(tx, 'withdraw', { id: row.id, by, nowMs: dueMs }))
  await due.apply(row)
  expect(await shown()).toEqual(['withdrawn', 1])
})
