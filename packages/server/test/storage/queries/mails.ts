import { describe, expect, test } from 'vitest'
import type { MailRow } from '../../../src/storage/mails.ts'
import type { Sql } from '../../../src/storage/sql.ts'
import type { OpenSql } from '../sql.suite.ts'
import { nowMs, platform, winnersOf } from './ground.ts'
import type { Queries } from './modules.ts'

export function mailQueries(name: string, queries: Queries, open: OpenSql): void {
  const { audit, mails } = queries
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
  const due = async (sql: Sql, atMs = nowMs) => (await mails.dueMail(sql, atMs)) as MailRow
  const leased = async (sql: Sql, atMs = nowMs) => {
    const found = await due(sql, atMs)
    return sql.tx((tx) => mails.leaseMail(tx, found, { ...lease, untilMs: atMs + 100 }))
  }

  describe(`${name}: mail`, () => {
    test('reads each log once, from where it was read', async () => {
      const { sql, orgId } = await platform(queries, open)
      const actor = { orgId, id: 'user_1', how: 'provider', client: 'dashboard', requestId: undefined } as const
      for (let entry = 0; entry < 3; entry++)
        await sql.tx((tx) => audit.appendAudit(tx, actor, { action: 'export', nowMs }))
      const log = { org_id: orgId, org_slug: 'acme', idp_org_id: 'idp_1', seq: 3 }
      expect(await mails.logsBehind(sql, 10)).toEqual([{ ...log, position: null }])
      expect(await winnersOf(sql, (tx) => mails.advanceMailPosition(tx, { ...log, position: null }, 2))).toHaveLength(1)
      expect(await mails.logsBehind(sql, 10)).toEqual([{ ...log, position: 2 }])
      expect(await winnersOf(sql, (tx) => mails.advanceMailPosition(tx, { ...log, position: 2 }, 3))).toHaveLength(1)
      expect(await mails.logsBehind(sql, 10)).toEqual([])
    })

    test('is open while it waits and when it was set aside, and what failed is due again', async () => {
      const sql = await filled({}, { id: 'mai_2', thing: 'chg_2', org_id: null }, { id: 'mai_3', thing: 'chg_3' })
      const [first] = await leased(sql)
      const message = { message: 'mai_1', next_attempt_at_ms: nowMs + 100 }
      await sql.tx((tx) => mails.retryMail(tx, message, { failure: 'ETIMEDOUT', nextAttemptAtMs: nowMs + 500 }))
      const aside = { outcome: 'set aside', failure: 'EENVELOPE', nowMs } as const
      const second = { ...(first as MailRow), id: 'mai_2', next_attempt_at_ms: nowMs }
      expect(await sql.tx((tx) => mails.endMail(tx, second, aside))).toBe(true)
      const sent = { ...second, id: 'mai_3' }
      await sql.tx((tx) => mails.endMail(tx, sent, { outcome: 'sent', failure: null, nowMs }))
      const waiting = { created_at_ms: nowMs, outcome: null }
      expect(await mails.openMails(sql)).toEqual([
        { ...waiting, id: 'mai_1', organization: 'acme', failure: 'ETIMEDOUT' },
        { ...waiting, id: 'mai_2', organization: '', failure: 'EENVELOPE', outcome: 'set aside' },
      ])
      expect(await sql.tx((tx) => mails.retryMails(tx, nowMs + 1))).toEqual(['mai_1'])
      expect(await mails.dueMail(sql, nowMs + 1)).toMatchObject({ id: 'mai_1' })
    })

    test('waits once for each thing and recipient, and is leased by one caller until the lease ends', async () => {
      const sql = await filled({}, { id: 'mai_2' }, { id: 'mai_3', next_attempt_at_ms: nowMs + 50 })
      expect(await mails.dueMail(sql, nowMs - 1)).toBeUndefined()
      const found = await due(sql)
      expect(found).toMatchObject({ id: 'mai_1', message: null, attempts: 0 })
      const won = await winnersOf(sql, async (tx) => (await mails.leaseMail(tx, found, lease)).length > 0)
      expect(won).toHaveLength(1)
      expect(await mails.dueMail(sql, nowMs + 99)).toBeUndefined()
      const [again] = await leased(sql, nowMs + 100)
      expect(again).toMatchObject({ id: 'mai_1', message: 'mai_1', next_attempt_at_ms: nowMs + 200 })
      const stale = { ...(again as MailRow), next_attempt_at_ms: nowMs + 100 }
      const end = { outcome: 'sent', failure: null, nowMs: nowMs + 150 } as const
      expect(await sql.tx((tx) => mails.endMail(tx, stale, end))).toBe(false)
      expect(await sql.tx((tx) => mails.endMail(tx, again as MailRow, end))).toBe(true)
      const recipient = { recipient: 'user:grace', kind: 'approval' }
      expect(await mails.countMails(sql, { ...recipient, sinceMs: nowMs })).toBe(1)
      expect(await mails.countMails(sql, { ...recipient, sinceMs: nowMs + 1 })).toBe(0)
      expect(await sql.tx((tx) => mails.forgetMails(tx, nowMs + 150, 10))).toBe(0)
      expect(await sql.tx((tx) => mails.forgetMails(tx, nowMs + 151, 10))).toBe(1)
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
      await sql.tx((tx) =>
        mails.retryMail(tx, message[0] as MailRow, { failure: 'ETIMEDOUT', nextAttemptAtMs: nowMs - 1 }),
      )
      const again = await leased(sql)
      expect(again.map(({ id, attempts }) => `${id} ${attempts}`).toSorted()).toEqual(['mai_1 1', 'mai_2 1', 'mai_3 1'])
      for (const id of ['mai_4', 'mai_5', 'mai_6']) expect((await leased(sql)).map((each) => each.id)).toEqual([id])
    })

    test('has a link until it ends', async () => {
      const sql = await filled({ kind: 'invitation', org_id: null })
      const [mail] = (await leased(sql)) as [MailRow]
      expect(await sql.tx((tx) => mails.setMailLink(tx, { ...mail, next_attempt_at_ms: 1 }, Buffer.from([1])))).toBe(
        false,
      )
      expect(await sql.tx((tx) => mails.setMailLink(tx, mail, Buffer.from([1])))).toBe(true)
      const [again] = (await leased(sql, nowMs + 100)) as [MailRow]
      expect(Buffer.from(again.link ?? [])).toEqual(Buffer.from([1]))
      await sql.tx((tx) => mails.endMail(tx, again, { outcome: 'set aside', failure: 'status 550', nowMs }))
      expect(await sql.all('select link, outcome, failure from mails')).toEqual([
        { link: null, outcome: 'set aside', failure: 'status 550' },
      ])
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
