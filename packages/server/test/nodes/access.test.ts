/** Who may do what on several nodes: a change holds from its answer on, wherever the next request arrives. */
import { expect, test } from 'vitest'
import { Access } from '../../src/access/access.ts'
import { retryUntilFresh, singleWriter } from '../../src/consistency/read-validator.ts'
import { putRole } from '../../src/storage/access.ts'
import type { Actor } from '../../src/storage/actor.ts'
import type { Sql } from '../../src/storage/sql.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { newSharedCounting, newStore } from '../stages/node.ts'
import { temporaryShared } from '../storage/temporary.ts'
import { recorded, staleHistory, violationsOf, type Register } from './linearizable.ts'

const orgId = 'org_1'
const actor: Actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: undefined }

/** Returns the rules as a register: the verbs of one role, at the revision of all rules. */
function registerOf(sql: Sql, clock: TestClock, isShared = true): Register {
  const validator = isShared ? newSharedCounting(sql, clock).validator : singleWriter
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

test('the rules of three nodes are one register', async () => {
  const { sql, clock } = await newStore(temporaryShared)
  const registers = [1, 2, 3].map(() => registerOf(sql, clock))
  expect(violationsOf(await recorded(registers, 3, isLong ? 1_000 : 60))).toEqual([])
})

test('the checker finds a node that trusts its memory', async () => {
  const { sql, clock } = await newStore(temporaryShared)
  const history = await staleHistory(registerOf(sql, clock), registerOf(sql, clock, false))
  expect(violationsOf(history)).toEqual(['a read of revision 1 was called after revision 2 was answered'])
})
