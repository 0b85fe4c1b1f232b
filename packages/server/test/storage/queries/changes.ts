import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { ChangeRow } from '../../../src/storage/changes.ts'
import { changeRow } from '../../../testkit/change-row.ts'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform, winnersOf, written, type Ground } from './ground.ts'
import type { Queries } from './modules.ts'

export function changeQueries(name: string, queries: Queries, open: OpenSql): void {
  const { changes, 'due-changes': due, missing, organizations, sealed, stages, variables } = queries

  const value = { change_id: 'chg_1', name: 'A', stage_id: 'stg_1', kind: 'secret', sealed: randomBytes(40) } as const
  const insert = ({ sql }: Pick<Ground, 'sql'>, more: Partial<ChangeRow> = {}) =>
    sql.tx((tx) => changes.insertChange(tx, changeRow(nowMs, more)))
  const stateOf = async ({ sql }: Pick<Ground, 'sql'>, id = 'chg_1') => (await changes.changeById(sql, id))?.state

  describe(`${name}: proposed changes`, () => {
    test('are found by their id and listed by the newest, page by page', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found)
      await insert(found, { id: 'chg_2', proposed_at_ms: nowMs + 1, state: 'applied', stage_slug: 'test' })
      await insert(found, { id: 'chg_3', proposed_at_ms: nowMs + 1, project_slug: 'blog' })
      const ids = async (filter: Parameters<typeof changes.changesMatching>[2], limit = 9) =>
        (await changes.changesMatching(sql, orgId, filter, limit)).map(({ id }) => id)
      expect({ ...(await changes.changeById(sql, 'chg_1')) }).toEqual(changeRow(nowMs))
      expect(await changes.changeById(sql, 'chg_4')).toBeUndefined()
      expect(await ids({})).toEqual(['chg_3', 'chg_2', 'chg_1'])
      expect(await ids({}, 1)).toEqual(['chg_3'])
      expect(await ids({ before: { id: 'chg_3', proposed_at_ms: nowMs + 1 } })).toEqual(['chg_2', 'chg_1'])
      expect(await ids({ states: ['open', 'failed'] })).toEqual(['chg_3', 'chg_1'])
      expect(await ids({ states: ['applied'] })).toEqual(['chg_2'])
      expect(await ids({ projectSlug: 'shop', stageSlug: 'live' })).toEqual(['chg_1'])
      expect(await changes.changesMatching(sql, 'org_2', {}, 9)).toEqual([])
      const second = { id: 'chg_2', proposed_at_ms: nowMs + 1 }
      expect(await ids({ from: second })).toEqual(['chg_3', 'chg_2'])
      const earlierBy = async (count: number, before?: typeof second) => {
        const row = await changes.changeEarlierBy(sql, orgId, count, before)
        return row && { ...row }
      }
      expect(await earlierBy(2)).toEqual(second)
      expect(await earlierBy(1, second)).toEqual({ id: 'chg_1', proposed_at_ms: nowMs })
      expect(await earlierBy(2, second)).toBeUndefined()
      await insert(found, { id: 'chg_4', proposed_by: 'tok_1' })
      await insert(found, { id: 'chg_5', proposed_by: 'tru_1' })
      expect(await changes.countOpenChanges(sql, 'stg_1', 'user_1')).toEqual({ all: 4, ofMachines: 2, own: 2 })
    })

    test('are deleted with their reviews some time after they settled', async () => {
      const found = await platform(queries, open)
      const { sql, orgId } = found
      await insert(found)
      await insert(found, { id: 'chg_2', state: 'applied', settled_at_ms: nowMs + 5 })
      await insert(found, { id: 'chg_3', state: 'withdrawn', settled_at_ms: nowMs + 6 })
      const review = { digest: 'd', verdict: 'approve', comment: null, reviewed_at_ms: nowMs } as const
      for (const id of ['chg_1', 'chg_2'])
        await sql.tx((tx) => changes.putReview(tx, { ...review, change_id: id, reviewer: 'bob' }))
      const left = async (org: string, beforeMs: number) => {
        const mayBeMore = await sql.tx((tx) => changes.deleteChangesSettledBefore(tx, org, beforeMs))
        return [mayBeMore, (await changes.changesMatching(sql, orgId, {}, 9)).map(({ id }) => id)]
      }
      expect(await left('org_2', nowMs + 9)).toEqual([false, ['chg_3', 'chg_2', 'chg_1']])
      expect(await left(orgId, nowMs + 5)).toEqual([false, ['chg_3', 'chg_2', 'chg_1']])
      expect(await left(orgId, nowMs + 6)).toEqual([false, ['chg_3', 'chg_1']])
      expect(await left(orgId, Number.MAX_SAFE_INTEGER)).toEqual([false, ['chg_1']])
      expect(await sql.all('select change_id from change_reviews')).toMatchObject([{ change_id: 'chg_1' }])
    })

    test('note whose approvals counted at the start of a ramp, and who its authors are', async () => {
      const found = await platform(queries, open)
      await insert(found)
      await found.sql.tx((tx) => changes.noteApprovers(tx, 'chg_1', ['bob']))
      const edit = { ...changeRow(nowMs), formerDigest: 'one', authors: '["user_1","ann"]', nowMs }
      expect(await found.sql.tx((tx) => changes.editChange(tx, 'edit', edit))).toBe(true)
      expect(await changes.changeById(found.sql, 'chg_1')).toMatchObject({
        approved_by: '["bob"]',
        authors: '["user_1","ann"]',
      })
    })

    test('are what their stage waits for while they are open', async () => {
      const found = await platform(queries, open)
      const { sql, projectId, stageId } = found
      const other = 'stg_2'
      await sql.tx(async (tx) => {
        await stages.insertStage(tx, projectId, { id: other, slug: other, by: 'user_1', nowMs })
        for (const id of [stageId, other]) {
          const states = (id === other ? ['A', 'B', 'OWN'] : ['OWN']).map((each) => ({
            name: each,
            kind: 'secret' as const,
            declaredType: null,
            attributes: '{}',
            sealed: Buffer.from('s'),
          }))
          await variables.writeVariables(
            tx,
            states.map((state) => ({ at: written(id, 2), state, origin: 'created' as const })),
          )
        }
      })
      const missingOnes = async () =>
        (await missing.missingNames(sql, stageId, [other], { after: '', upTo: null }, 9)).map((each) => each.name)
      expect(await missing.stagesWithProposals(sql, [stageId, other])).toEqual([])
      await insert(found)
      // One without values, such as a new chance, leaves no one waiting.
      expect(await missing.stagesWithProposals(sql, [stageId, other])).toEqual([])
      await sql.tx((tx) => changes.insertChangeValue(tx, value))
      expect(await missing.stagesWithProposals(sql, [stageId, other])).toEqual([stageId])
      expect(await missingOnes()).toEqual(['B'])
      await sql.tx((tx) => changes.moveChange(tx, 'withdraw', { id: 'chg_1', nowMs }))
      expect(await missingOnes()).toEqual(['A', 'B'])
      expect(await missing.stagesWithProposals(sql, [stageId, other])).toEqual([])
    })

    test('move once, from the states that allow it and with the digest that was seen', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found)
      const move = (...[kind, more]: [Parameters<typeof changes.moveChange>[1], object?]) =>
        sql.tx((tx) => changes.moveChange(tx, kind, { id: 'chg_1', nowMs: nowMs + 5, by: 'user_2', ...more }))
      expect(await move('pause')).toBe(false)
      expect(await move('apply', { digest: 'two' })).toBe(false)
      expect(await move('review', { digest: 'one' })).toBe(true)
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({ state: 'open', settled_at_ms: null })
      expect(await move('fail', { problem: 'too few approvals' })).toBe(true)
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({ state: 'failed', problem: 'too few approvals' })
      const edit = { ...changeRow(nowMs), formerDigest: 'one', digest: 'two', reason: 'because', nowMs: nowMs + 6 }
      expect(await sql.tx((tx) => changes.editChange(tx, 'edit', { ...edit, formerDigest: 'none' }))).toBe(false)
      expect(await sql.tx((tx) => changes.editChange(tx, 'edit', edit))).toBe(true)
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({
        state: 'open',
        digest: 'two',
        reason: 'because',
        problem: null,
        updated_at_ms: nowMs + 6,
      })
      const applied = { id: 'chg_1', by: 'user_2', revision: 7, bypass: 'urgent', nowMs: nowMs + 9 }
      expect(await winnersOf(sql, (tx) => changes.moveChange(tx, 'apply', applied))).toHaveLength(1)
      const revisionsOf = (stageId: string) => Array.from({ length: 300 }, (_, revision) => ({ stageId, revision }))
      expect(await changes.appliedChanges(sql, [...revisionsOf('stg_2'), ...revisionsOf('stg_1')])).toEqual([
        {
          id: 'chg_1',
          stage_id: 'stg_1',
          applied_revision: 7,
          reason: 'because',
          proposed_by: 'user_1',
          proposed_with: expect.any(String),
        },
      ])
      expect(await changes.appliedChanges(sql, revisionsOf('stg_1').slice(8))).toEqual([])
      expect(await changes.appliedChanges(sql, [])).toEqual([])
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({
        state: 'applied',
        settled_by: 'user_2',
        settled_at_ms: nowMs + 9,
        applied_revision: 7,
        bypass: 'urgent',
      })
      expect(await move('withdraw')).toBe(false)
      expect(await sql.tx((tx) => changes.editChange(tx, 'reschedule', { ...edit, formerDigest: 'two' }))).toBe(false)
    })

    test('have values until they settle, and reviews of each content', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found)
      await insert(found, { id: 'chg_2' })
      await sql.tx(async (tx) => {
        await changes.insertChangeValue(tx, value)
        await changes.insertChangeValue(tx, { ...value, change_id: 'chg_2' })
      })
      // An earlier version keeps no sizes.
      expect(await changes.proposedBytesOf(sql, 'stg_1')).toBe(80)
      await sql.tx(async (tx) => {
        await changes.insertChangeValue(tx, { ...value, name: 'B', sealed: Buffer.alloc(7) })
        await changes.deleteChangeValue(tx, 'chg_1', 'B')
        await changes.insertChangeValue(tx, { ...value, name: 'C', sealed: Buffer.alloc(7) })
        await changes.keepValueBytes(tx, 'chg_1')
      })
      expect(await changes.proposedBytesOf(sql, 'stg_1')).toBe(87)
      expect(await changes.proposedBytesOf(sql, 'stg_2')).toBe(0)
      expect((await changes.changeValuesOf(sql, 'chg_1')).map(({ name: of }) => of).toSorted()).toEqual(['A', 'C'])
      await sql.tx((tx) => changes.deleteChangeValues(tx, 'chg_1'))
      expect(await changes.changeValuesOf(sql, 'chg_1')).toEqual([])
      const review = { change_id: 'chg_1', reviewer: 'user_2', digest: 'one', comment: null, reviewed_at_ms: nowMs }
      await sql.tx(async (tx) => {
        await changes.putReview(tx, { ...review, verdict: 'approve' })
        await changes.putReview(tx, { ...review, verdict: 'reject', comment: 'no' })
        await changes.putReview(tx, { ...review, digest: 'two', verdict: 'approve' })
        await changes.putReview(tx, { ...review, change_id: 'chg_2', verdict: 'approve' })
      })
      const reviews = await changes.reviewsOf(sql, ['chg_1'])
      expect(reviews.map(({ digest, verdict }) => `${digest} ${verdict}`).toSorted()).toEqual([
        'one reject',
        'two approve',
      ])
      expect(await changes.reviewsOf(sql, ['chg_1', 'chg_2', 'chg_3'])).toHaveLength(3)
      await sql.tx((tx) => changes.withdrawChangesOf(tx, 'stg_1', 'user_3', nowMs + 1))
      expect([await stateOf(found), await stateOf(found, 'chg_2')]).toEqual(['withdrawn', 'withdrawn'])
      // They go with the rows of the stage.
      expect(await changes.changeValuesOf(sql, 'chg_2')).toHaveLength(1)
    })

    test('are leased when they are due, each to one node, until the lease ends', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      expect(await due.nextDueAtMs(sql)).toBeUndefined()
      await insert(found)
      await insert(found, { id: 'chg_2', apply_at_ms: nowMs + 50 })
      await insert(found, { id: 'chg_3', apply_at_ms: nowMs + 10, due_at_ms: nowMs + 80, state: 'running' })
      await insert(found, { id: 'chg_4', apply_at_ms: nowMs, state: 'applied' })
      expect(await due.nextDueAtMs(sql)).toBe(nowMs + 50)
      const lease = (atMs: number, limit = 9) =>
        sql.tx((tx) => due.leaseDueChanges(tx, { nowMs: atMs, leaseMs: 100, limit }))
      const ids = async (atMs: number, limit?: number) => (await lease(atMs, limit)).map(({ id }) => id).toSorted()
      expect(await ids(nowMs + 49)).toEqual([])
      const winners = await winnersOf(sql, async (tx) => {
        const leased = await due.leaseDueChanges(tx, { nowMs: nowMs + 50, leaseMs: 100, limit: 9 })
        return leased.length > 0
      })
      expect(winners).toHaveLength(1)
      expect(await ids(nowMs + 80)).toEqual(['chg_3'])
      expect(await ids(nowMs + 149)).toEqual([])
      expect(await ids(nowMs + 150)).toEqual(['chg_2'])
      // A node whose clock was an hour ahead has leased them.
      await lease(nowMs + 3_600_000)
      expect(await ids(nowMs + 300, 1)).toEqual(['chg_2'])
      await sql.tx((tx) => due.holdChange(tx, { id: 'chg_2', digest: 'two' }, nowMs + 900))
      expect(await due.nextDueAtMs(sql)).toBe(nowMs + 50)
      await sql.tx((tx) => due.holdChange(tx, { id: 'chg_2', digest: 'one' }, nowMs + 900))
      expect(await due.nextDueAtMs(sql)).toBe(nowMs + 80)
      const edit = { ...changeRow(nowMs), id: 'chg_2', formerDigest: 'one', apply_at_ms: nowMs + 70, nowMs }
      expect(await sql.tx((tx) => changes.editChange(tx, 'reschedule', edit))).toBe(true)
      expect(await due.nextDueAtMs(sql)).toBe(nowMs + 70)
    })

    test('move on as ramps, one step once', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      const content = '{"items":[{"action":"chance","name":"R","chance":1}],"source":{}}'
      await insert(found, { content, apply_at_ms: nowMs })
      const move = { id: 'chg_1', digest: 'one', from: 0, done: 1, dueAtMs: nowMs + 50, delayDays: 0, nowMs: nowMs + 5 }
      expect(await due.runningRamps(sql, 'stg_1')).toEqual([])
      expect(await sql.tx((tx) => due.moveRamp(tx, 'step', move))).toBe(false)
      expect(await sql.tx((tx) => due.moveRamp(tx, 'start', { ...move, digest: 'two' }))).toBe(false)
      expect(await sql.tx((tx) => due.moveRamp(tx, 'start', move))).toBe(true)
      expect((await due.runningRamps(sql, 'stg_1')).map((each) => ({ ...each }))).toEqual([{ id: 'chg_1', name: 'R' }])
      const next = { ...move, from: 1, done: 2, dueAtMs: nowMs + 90, delayDays: 3 }
      expect(await winnersOf(sql, (tx) => due.moveRamp(tx, 'step', next))).toHaveLength(1)
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({
        state: 'running',
        steps_done: 2,
        due_at_ms: nowMs + 90,
        delay_days: 3,
        settled_at_ms: null,
      })
      const last = { ...next, from: 2, done: 3, dueAtMs: null, revision: 4, nowMs: nowMs + 9 }
      expect(await sql.tx((tx) => due.moveRamp(tx, 'finish', last))).toBe(true)
      expect(await changes.changeById(sql, 'chg_1')).toMatchObject({
        state: 'applied',
        due_at_ms: null,
        settled_at_ms: nowMs + 9,
        applied_revision: 4,
      })
      expect(await organizations.idpOrgIdOf(sql, 'org_1')).toBe('idp_1')
      expect(await organizations.idpOrgIdOf(sql, 'org_2')).toBeUndefined()
    })

    test('conflict with what changed after their base', async () => {
      const { sql, stageId } = await platform(queries, open)
      const state = { kind: 'secret', declaredType: null, attributes: '{}', sealed: randomBytes(40) } as const
      await sql.tx(async (tx) => {
        for (const [revision, variable] of [
          [2, 'A'],
          [3, 'B'],
          [4, 'B'],
        ] as const)
          await variables.writeVariables(tx, [
            { at: written(stageId, revision), state: { ...state, name: variable }, origin: 'updated' },
          ])
        await variables.writeVariables(tx, [{ at: written(stageId, 5), origin: 'deleted', name: 'A' }])
      })
      const last = async (...names: readonly string[]) => {
        const found = await changes.lastChangesOf(sql, [
          ...names.map((each) => ({ stage_id: stageId, name: each })),
          { stage_id: 'stg_2', name: 'A' },
        ])
        return found.map((each) => `${each.stage_id === stageId} ${each.name} ${each.revision}`).toSorted()
      }
      expect(await last('A', 'B', 'NONE')).toEqual(['true A 5', 'true B 4'])
      expect(await last()).toEqual([])
    })

    test('keep the key that sealed their values, and are sealed again with another', async () => {
      const found = await platform(queries, open)
      const { sql } = found
      await insert(found)
      const [older, newer] = [randomBytes(16), randomBytes(16)]
      const by = (key: Buffer) => Buffer.concat([Buffer.from('000000ff0101', 'hex'), key, Buffer.from('text')])
      await sql.tx(async (tx) => {
        await changes.insertChangeValue(tx, { ...value, sealed: by(older) })
        await changes.insertChangeValue(tx, { ...value, name: 'B', sealed: by(older) })
      })
      const keyId = older.toString('hex')
      expect(await sealed.isKeyInUse(sql, keyId)).toBe(true)
      const next = { stageId: 'stg_1', keyId, after: { name: '', revision: 0 }, limit: 1 }
      const [first] = await sealed.changeValuesUnderKey(sql, next)
      expect(first).toMatchObject({ name: 'A', changeId: 'chg_1', kind: 'secret' })
      const after = { name: 'A', revision: 0, changeId: 'chg_1' }
      expect((await sealed.changeValuesUnderKey(sql, { ...next, after }))[0]?.name).toBe('B')
      await sql.tx((tx) =>
        sealed.resealChangeValue(tx, 'stg_1', keyId, { ...after, kind: 'secret', sealed: by(newer) }),
      )
      const [rest] = await sealed.changeValuesUnderKey(sql, next)
      expect(rest).toMatchObject({ name: 'A', sealed: null })
      expect(await sealed.isKeyInUse(sql, newer.toString('hex'))).toBe(true)
    })
  })
}
