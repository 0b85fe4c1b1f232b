import { expect, test } from 'vitest'
import { Refusals } from '../../src/audit/refusals.ts'
import { personActorOf } from '../../src/storage/actor.ts'
import { auditOf } from '../../src/storage/audit.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { TestClock } from '../../testkit/clock.ts'
import { isLong } from '../../testkit/long.ts'
import { temporaryStore } from '../storage/temporary.ts'

const nowMs = Date.UTC(2026, 10, 21)
const orgId = 'org_1'

async function open() {
  const sql = await temporaryStore(nowMs)
  await sql.tx((tx) => insertOrganization(tx, { id: orgId, idpOrgId: 'idp_1', slug: 'acme', nowMs }))
  const clock = new TestClock()
  clock.freezeAt(nowMs)
  const refusals = new Refusals(sql, clock)
  const refuse = (times: number, userId = 'user_1'): void => {
    for (let time = 0; time < times; time++) refusals.add(personActorOf({ orgId, userId }), 'audit', 'FORBIDDEN')
  }
  const counts = async () => (await auditOf(sql, orgId, {}, 100)).map((row) => row.name_count).toReversed()
  return { sql, clock, refusals, refuse, counts }
}

test('each caller, endpoint and code has one entry per minute, and the rest at shutdown', async () => {
  const { clock, refusals, refuse, counts } = await open()
  refuse(3)
  await refusals.flush()
  refuse(2)
  refuse(1, 'user_2')
  await refusals.flush()
  expect(await counts()).toEqual([3, 1])
  clock.advance(59_999)
  await refusals.flush()
  expect(await counts()).toEqual([3, 1])
  clock.advance(1)
  await refusals.flush()
  expect(await counts()).toEqual([3, 1, 2])
  refuse(4)
  await refusals.flush(true)
  expect(await counts()).toEqual([3, 1, 2, 4])
  clock.advance(3_600_000)
  await refusals.flush()
  expect(await counts()).toEqual([3, 1, 2, 4])
})

test('refusals that could not be stored are stored later', async () => {
  const { sql, refusals, refuse, counts } = await open()
  refuse(2)
  await sql.tx((tx) => tx.script('alter table audit rename to audit_away'))
  await expect(refusals.flush()).rejects.toThrow('no such table')
  await sql.tx((tx) => tx.script('alter table audit_away rename to audit'))
  refuse(1)
  await refusals.flush()
  expect(await counts()).toEqual([3])
})

test.runIf(isLong)('memory for callers is limited', async () => {
  const { sql, refusals, refuse } = await open()
  for (let user = 0; user < 10_001; user++) refuse(1, `user_${user}`)
  await refusals.flush()
  expect(await auditOf(sql, orgId, {}, 20_000)).toHaveLength(10_000)
})
