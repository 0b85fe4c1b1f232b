import { describe, expect, test } from 'vitest'
import type { LeasedRow } from '../../../src/storage/leases.ts'
import type { MailRow } from '../../../src/storage/mails.ts'
import type { Sql, Value } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { dueIn, nowMs, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function mailQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, leases, mails } = queries
  const { mailTable } = mails
  const row = {
    id: 'mai_1',
    kind: 'approval',
    org_id: 'org_1',
    recipient: 'user:grace',
    thing: 'chg_1',
    content: '{}',
    link: null,
    created_at_ms: nowMs,
    expires_at_ms: nowMs + 1_000,
    next_attempt_at_ms: nowMs,
  }
  const lease = { untilMs: nowMs + 100, bundled: ['approval', 'applied'], maxSingle: 2, maxBundled: 3 }

  async function filled(...rows: Partial<MailRow>[]): Promise<Sql> {
    const { sql } = await platform(queries, open)
    for (const each of rows) await sql.tx((tx) => mails.insertMail(tx, { ...row, ...each }))
    return sql
  }
  const due = async (sql: Sql, atMs = nowMs) => (await dueIn(queries, sql, mailTable, atMs, 1))[0]
  const settle = (sql: Sql, mail: LeasedRow, changes: Record<string, Value>) =>
    sql.tx((tx) => leases.settleRow(tx, mailTable, mail, changes))
  const leased = async (sql: Sql, atMs = nowMs) => {
    const found = (await due(sql, atMs)) as LeasedRow
    return sql.tx((tx) => mails.leaseMail(tx, found, { ...lease, untilMs: atMs + 100 }))
  }

  describe(`${name}: mail`, () => {
    test('reads each log once, from where it was read', async () => {
      const { sql, orgId } = await platform(queries, open)
      const actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: undefined } as const
      for (let entry = 0; entry < 3; entry++)
        await sql.tx((tx) => audit.appendAudit(tx, actor, { action: 'export', nowMs }))
      const log = { org_id: orgId, org_slug: 'acme', idp_org_id: 'idp_1', seq: 3 }
      const behind = () => dueIn(queries, sql, { ...mailTable, due: mails.logsBehind }, 0)
      expect(await behind()).toMatchObject([{ id: orgId, org_id: orgId, next_attempt_at_ms: 0 }])
      expect(await mails.logBehind(sql, 'other')).toBeUndefined()
      expect(await mails.logBehind(sql, orgId)).toEqual({ ...log, position: null })
      expect(await winnersOf(sql, (tx) => mails.advanceMailPosition(tx, { ...log, position: null }, 2))).toHaveLength(1)
      expect(await mails.logBehind(sql, orgId)).toEqual({ ...log, position: 2 })
      expect(await winnersOf(sql, (tx) => mails.advanceMailPosition(tx, { ...log, position: 2 }, 3))).toHaveLength(1)
      expect(await behind()).toEqual([])
    })

    test('is open while it waits and when it was set aside, and what failed is due again', async () => {
      const sql = await filled({}, { id: 'mai_2', thing: 'chg_2', org_id: null }, { id: 'mai_3', thing: 'chg_3' })
      const [first] = await leased(sql)
      await settle(sql, first as MailRow, { failure: 'ETIMEDOUT', next_attempt_at_ms: nowMs + 500 })
      const aside = { outcome: 'set aside', failure: 'EENVELOPE', ended_at_ms: nowMs }
      expect(await settle(sql, { id: 'mai_2', next_attempt_at_ms: nowMs }, aside)).toBe(true)
      await settle(sql, { id: 'mai_3', next_attempt_at_ms: nowMs }, { outcome: 'sent', ended_at_ms: nowMs })
      const waiting = { created_at_ms: nowMs, outcome: null }
      expect(await mails.openMails(sql)).toEqual([
        { ...waiting, id: 'mai_1', organization: 'acme', failure: 'ETIMEDOUT' },
        { ...waiting, id: 'mai_2', organization: '', failure: 'EENVELOPE', outcome: 'set aside' },
      ])
      expect(await sql.tx((tx) => leases.retryRows(tx, mailTable, nowMs + 1))).toEqual(['mai_1'])
      expect(await due(sql, nowMs + 1)).toMatchObject({ id: 'mai_1' })
    })

    test('waits once for each thing and recipient, and is leased by one caller until the lease ends', async () => {
      const sql = await filled({}, { id: 'mai_2' }, { id: 'mai_3', next_attempt_at_ms: nowMs + 50 })
      expect(await due(sql, nowMs - 1)).toBeUndefined()
      const found = (await due(sql)) as LeasedRow
      expect(found).toMatchObject({ id: 'mai_1', org_id: 'org_1' })
      const won = await winnersOf(sql, async (tx) => (await mails.leaseMail(tx, found, lease)).length > 0)
      expect(won).toHaveLength(1)
      expect(await due(sql, nowMs + 99)).toBeUndefined()
      const [again] = await leased(sql, nowMs + 100)
      expect(again).toMatchObject({ id: 'mai_1', message: 'mai_1', next_attempt_at_ms: nowMs + 200 })
      const stale = { ...(again as MailRow), next_attempt_at_ms: nowMs + 100 }
      const end = { outcome: 'sent', ended_at_ms: nowMs + 150 }
      expect(await settle(sql, stale, end)).toBe(false)
      expect(await settle(sql, again as MailRow, end)).toBe(true)
      const recipient = { recipient: 'user:grace', kind: 'approval' }
      expect(await mails.countMails(sql, { ...recipient, sinceMs: nowMs })).toBe(1)
      expect(await mails.countMails(sql, { ...recipient, sinceMs: nowMs + 1 })).toBe(0)
      const left = async (beforeMs: number) => {
        await sql.tx((tx) => mails.deleteMailsBefore(tx, beforeMs))
        return (await sql.all('select id from mails')).length
      }
      expect([await left(nowMs + 150), await left(nowMs + 151)]).toEqual([1, 0])
    })

    test('of which many wait for one person is one message, the same at each attempt', async () => {
      const sql = await filled(
        ...['1', '2', '3', '4'].map((id) => ({ id: `mai_${id}`, thing: id })),
        { id: 'mai_5', recipient: 'user:bob' },
        { id: 'mai_6', kind: 'reset', thing: '6' },
      )
      const message = await leased(sql)
      expect(message.map(({ id }) => id).toSorted()).toEqual(['mai_1', 'mai_2', 'mai_3'])
      expect(new Set(message.map((each) => each.message))).toEqual(new Set(['mai_1']))
      for (const mail of message) await settle(sql, mail, { attempts: 1, next_attempt_at_ms: nowMs - 1 })
      const again = await leased(sql)
      expect(again.map(({ id, attempts }) => `${id} ${attempts}`).toSorted()).toEqual(['mai_1 1', 'mai_2 1', 'mai_3 1'])
      for (const id of ['mai_4', 'mai_5', 'mai_6']) expect((await leased(sql)).map((each) => each.id)).toEqual([id])
    })

    test('has a link until it ends', async () => {
      const sql = await filled({ kind: 'invitation', org_id: null })
      const [mail] = (await leased(sql)) as [MailRow]
      const link = Buffer.from([1])
      expect(await settle(sql, { ...mail, next_attempt_at_ms: 1 }, { link })).toBe(false)
      expect(await settle(sql, mail, { link })).toBe(true)
      const [again] = (await leased(sql, nowMs + 100)) as [MailRow]
      expect(Buffer.from(again.link ?? [])).toEqual(Buffer.from([1]))
      await settle(sql, again, { link: null, failure: 'status 550' })
      expect(await sql.all('select link, failure from mails')).toEqual([{ link: null, failure: 'status 550' }])
    })

    test('goes with its organization', async () => {
      const sql = await filled({}, { id: 'mai_2', org_id: null, recipient: 'email:a@b.example' })
      await sql.tx((tx) => mails.deleteMailsOf(tx, 'org_1'))
      expect(await sql.all('select id from mails')).toEqual([{ id: 'mai_2' }])
    })

    test('is not sent to people who do not want it', async () => {
      const sql = await filled()
      expect(await mails.mailsOff(sql, 'grace')).toBe('[]')
      for (const off of ['["approval"]', '["hook"]']) await sql.tx((tx) => mails.setMailsOff(tx, 'grace', off))
      expect(await mails.mailsOff(sql, 'grace')).toBe('["hook"]')
    })
  })
}
