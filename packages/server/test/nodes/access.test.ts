/** Who may do what on several nodes: a change holds from its answer on, wherever the next request arrives. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Access } from '../../src/access/access.ts'
import { retryUntilFresh, singleWriter } from '../../src/consistency/read-validator.ts'
import { countingValidator } from '../../src/metering/joined-counting.ts'
import { unlimited } from '../../src/metering/plans.ts'
import { putRole } from '../../src/storage/access.ts'
import type { Actor } from '../../src/storage/actor.ts'
import type { Sql } from '../../src/storage/sql.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { newStore } from '../stages/node.ts'
import { temporaryShared } from '../storage/temporary.ts'
import { Recorder, violationsOf, type Operation, type Register } from './linearizable.ts'

const orgId = 'org_1'
const actor: Actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: undefined }

/** Returns the rules as a register: the verbs of one role, at the revision of all rules. */
function registerOf(sql: Sql, clock: TestClock, isShared = true): Register {
  const limit = unlimited.evaluationsPerMonth
  const validator = isShared ? countingValidator({ sql, clock, limit, memberTable: undefined }) : singleWriter
  const access = new Access({ sql, clock, logicalClock: validator.logicalClock })
  return {
    write: (value) =>
      retryUntilFresh(validator, async (reads) => {
        const policy = await access.policyOf(orgId, reads)
        await access.change(policy, actor, async (tx) => {
          await putRole(tx, orgId, { name: 'register', verbs: value })
          return []
        })
        return policy.accessRevision + 1
      }),
    read: () =>
      retryUntilFresh(validator, async (reads) => {
        const policy = await access.policyOf(orgId, reads)
        return { value: policy.roles.get('register')?.join() ?? '', revision: policy.accessRevision }
      }),
  }
}

async function recorded(registers: readonly Register[], writing: number, writes: number): Promise<Operation[]> {
  const recorder = new Recorder()
  await recorder.write(registers[0] as Register)
  const still = { writing }
  const write = async (register: Register): Promise<void> => {
    for (let i = 0; i < writes; i++) await recorder.write(register)
    still.writing--
  }
  const read = async (register: Register): Promise<void> => {
    for (; still.writing > 0; await turn()) await recorder.read(register)
  }
  await Promise.all([...registers.slice(0, writing).map(write), ...registers.map(read), ...registers.map(read)])
  return recorder.history
}

test('the rules of three nodes are one register', async () => {
  const { sql, clock } = await newStore(temporaryShared)
  const recording = await recorded(
    [1, 2, 3].map(() => registerOf(sql, clock)),
    3,
    isLong ? 1_000 : 60,
  )
  expect(recording.length).toBeGreaterThan(isLong ? 10_000 : 300)
  expect(violationsOf(recording)).toEqual([])
}, 120_000)

test('the checker finds a node that trusts its memory', async () => {
  const { sql, clock } = await newStore(temporaryShared)
  const nodes = [registerOf(sql, clock), registerOf(sql, clock, false)]
  expect(violationsOf(await recorded(nodes, 1, 60))).not.toEqual([])
})
