/** Tests that any change of an audit log in the store is detected, and that an unchanged log is reported as good. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AuditLog } from '../../src/audit/audit-log.ts'
import { storedCheckpoints } from '../../src/audit/records.ts'
import { sweepAudit } from '../../src/audit/retention.ts'
import { chainDigest } from '../../src/storage/chain.ts'
import { contentDigestOf, entryDigestOf } from '../../src/storage/audit-content.ts'
import { appendAudit } from '../../src/storage/audit.ts'
import { entriesBetween } from '../../src/storage/audit-chain.ts'
import type { Tx } from '../../src/storage/sql.ts'
import type { OpenSql } from './sql.suite.ts'
import { day, entries, newLogbook, note, organization, other, retention, verdictOf, type Logbook } from './logbook.ts'

/** Statements, one after the other. */
type Tampering = string | ((tx: Tx) => Promise<unknown>)

const orgId = organization.id
const fifth = `where org_id = 'org_1' and seq = 5`
const second = `where org_id = 'org_1' and seq = 2`

const columnChanges = [
  ...['chain', 'content_digest', 'salt', 'project_slug', 'stage_slug', 'names', 'subject', 'request_id'].flatMap(
    (column) => [`${column} = 'x'`, `${column} = null`],
  ),
  ...['action', 'actor', 'how', 'client'].map((column) => `${column} = 'x'`),
  ...['name_count', 'revision'].flatMap((column) => [`${column} = 7`, `${column} = null`]),
  'at_ms = at_ms + 1',
  `at_ms = at_ms - ${500 * day}`,
  `names = replace(names, 'A', 'a')`,
].map((change): [string, Tampering] => [`changed: ${change}`, `update audit set ${change} ${second}`])

const deletion = `salt = null, actor = '', how = '', client = '', project_slug = null, stage_slug = null, names = null,
  name_count = null, revision = null, subject = null, request_id = null`

const cutAfter = (seq: number): string =>
  `delete from audit where org_id = 'org_1' and seq > ${seq};
   update audit_heads set seq = ${seq}, chain = (select chain from audit where org_id = 'org_1' and seq = ${seq})
     where org_id = 'org_1'`

const cutWithCheckpoints = `${cutAfter(6)}; delete from audit_checkpoints where org_id = 'org_1' and seq > 6`

/** Recomputes the chain, as an attacker without the key could. */
async function writeAnew(tx: Tx): Promise<void> {
  await tx.script(`update audit set actor = 'user_2' ${second}`)
  let before = ''
  for (const row of await entriesBetween(tx, orgId, 0, entries, 100)) {
    const digest = contentDigestOf(row)
    before = chainDigest(before, entryDigestOf(orgId, row.at_ms, row.action, digest))
    const at = [digest, before, orgId, row.seq]
    await tx.all('update audit set content_digest = $1, chain = $2 where org_id = $3 and seq = $4', ...at)
  }
  await tx.all('update audit_heads set chain = $1 where org_id = $2', before, orgId)
}

const tamperings: readonly [string, Tampering][] = [
  ...columnChanges,
  [
    'swapped',
    `update audit set seq = -2 ${second}; update audit set seq = 2 ${fifth};
    update audit set seq = 5 where org_id = 'org_1' and seq = -2`,
  ],
  ...[1, 4, 5, entries].map((seq): [string, Tampering] => [
    `deleted: ${seq}`,
    `delete from audit where org_id = 'org_1' and seq = ${seq}`,
  ]),
  [
    'deleted, and those behind it renumbered',
    `delete from audit ${fifth};
    update audit set seq = seq - 1 where org_id = 'org_1' and seq > 5; update audit_heads set seq = 7 where org_id = 'org_1'`,
  ],
  ['deleted all', `delete from audit where org_id = 'org_1'`],
  [
    'deleted all, with the head',
    `delete from audit where org_id = 'org_1'; delete from audit_heads where org_id = 'org_1'`,
  ],
  ...[-1, 0, entries + 1, entries + 100].map((seq): [string, Tampering] => [
    `added: ${seq}`,
    `insert into audit (org_id, seq, at_ms, actor, how, client, action, chain, content_digest, salt)
       select org_id, ${seq}, at_ms, actor, how, client, action, chain, content_digest, salt from audit ${fifth}`,
  ]),
  [
    'added in the middle',
    `update audit set seq = -seq where org_id = 'org_1' and seq >= 5;
    insert into audit (org_id, seq, at_ms, actor, how, client, action, chain, content_digest, salt)
      select org_id, 5, at_ms, actor, how, client, action, chain, content_digest, salt from audit
      where org_id = 'org_1' and seq = 4;
    update audit set seq = 1 - seq where org_id = 'org_1' and seq < 0;
    update audit_heads set seq = seq + 1 where org_id = 'org_1'`,
  ],
  [
    'renumbered',
    `update audit set seq = seq + 100 where org_id = 'org_1' and seq >= 5;
    update audit_heads set seq = seq + 100 where org_id = 'org_1'`,
  ],
  [
    'moved to another organization',
    `update audit set org_id = 'org_2', seq = 9 where org_id = 'org_1' and seq = ${entries}`,
  ],
  ['cut at its end', `delete from audit where org_id = 'org_1' and seq > 6`],
  ['cut at its end, with the head', cutAfter(6)],
  ['cut at its beginning', `delete from audit where org_id = 'org_1' and seq <= 4`],
  [
    'cut at its beginning, as if from before the chain',
    `delete from audit where org_id = 'org_1' and seq <= 4;
    update audit_heads set chained_from = 4 where org_id = 'org_1'`,
  ],
  [
    'renumbered where nothing is signed',
    `update audit set seq = seq + 100 where org_id = 'org_1' and seq >= 5;
      update audit_heads set seq = seq + 100 where org_id = 'org_1';
      delete from audit_checkpoints where org_id = 'org_1' and seq = ${entries}`,
  ],
  [
    'the log of another, where nothing is signed',
    `delete from audit where org_id = 'org_1';
      update audit set org_id = 'org_1' where org_id = 'org_2';
      update audit_heads set chain = (select chain from audit_heads where org_id = 'org_2') where org_id = 'org_1';
      delete from audit_checkpoints where org_id = 'org_1'`,
  ],
  ['rewritten', writeAnew],
  [
    'removed from the chain',
    `update audit set chain = null, content_digest = null where org_id = 'org_1';
    update audit_heads set chain = '', chained_from = ${entries} where org_id = 'org_1'`,
  ],
  ...['seq = 7', `chain = 'x'`, 'chained_from = 1'].map((change): [string, Tampering] => [
    `given another head: ${change}`,
    `update audit_heads set ${change} where org_id = 'org_1'`,
  ]),
  ...['seq = 5', `chain = 'x'`, 'chained_from = 1', 'at_ms = at_ms + 1', `signature = 'x'`, `signature = ''`].map(
    (change): [string, Tampering] => [
      `given another checkpoint: ${change}`,
      `update audit_checkpoints set ${change} where org_id = 'org_1' and seq = 4`,
    ],
  ),
  [
    'given the checkpoint of another',
    `update audit_checkpoints set signature =
    (select signature from audit_checkpoints where org_id = 'org_2' and seq = 4) where org_id = 'org_1' and seq = 4`,
  ],
  ['robbed of details before their time', `update audit set ${deletion} ${second}`],
]

export function chainSuite(name: string, open: OpenSql): void {
  describe(`${name}: an audit log`, () => {
    let book: Logbook
    let close: () => Promise<void>

    beforeAll(async () => {
      const opened = await open()
      close = () => opened.close()
      book = await newLogbook(opened.sql)
    })
    afterAll(() => close())

    /** After the tampering, which is undone then. */
    async function verdictAfter(tampering: Tampering, range: Parameters<typeof verdictOf>[2] = {}) {
      const undo = new Error('undone')
      let verdict: Awaited<ReturnType<typeof verdictOf>> | undefined
      const tampered = book.sql.tx(async (tx) => {
        await (typeof tampering === 'string' ? tx.script(tampering) : tampering(tx))
        verdict = await verdictOf(book, tx, range)
        throw undo
      })
      await expect(tampered).rejects.toBe(undo)
      return verdict
    }

    test('that no one changed is good', async () => {
      expect(await verdictOf(book, book.sql)).toEqual({
        organizations: 2,
        entries: 2 * entries,
        beforeChain: 0,
        withoutDetails: 0,
        checkpoints: 4,
        sinceCheckpoint: 0,
        problems: [],
      })
    })

    test.each(tamperings)('is found to be %s', async (_, tampering) => {
      const { problems = [] } = (await verdictAfter(tampering)) ?? {}
      expect(problems).not.toEqual([])
      expect(problems[0]?.organization).toBe('acme')
    })

    test('whose end was cut off together with its checkpoints is found by a checkpoint that was kept', async () => {
      const kept = (await storedCheckpoints(book.sql, orgId)).at(-1)
      if (!kept) throw new Error('there is no checkpoint')
      expect(await verdictOf(book, book.sql, { kept })).toMatchObject({ problems: [] })
      expect(await verdictAfter(cutWithCheckpoints)).toMatchObject({ problems: [] })
      expect(await verdictAfter(cutWithCheckpoints, { kept })).toMatchObject({
        problems: [{ organization: 'acme', seq: entries, problem: expect.stringContaining('it is missing') }],
      })
      const forged = { ...kept, seq: kept.seq - 1 }
      expect((await verdictAfter('select 1', { kept: forged }))?.problems).toHaveLength(1)
    })

    test('may lose its details when their time is over, whole ones', async () => {
      const gone = `update audit set ${deletion} ${second}`
      expect(await verdictAfter(gone, { days: 401 })).toMatchObject({ withoutDetails: 1, problems: [] })
      expect((await verdictAfter(gone, { days: 399 }))?.problems).toHaveLength(1)
      const half = `update audit set actor = '' ${second}`
      expect((await verdictAfter(half, { days: 401 }))?.problems).toHaveLength(1)
    })

    test('that is older than its chain is chained from there on', async () => {
      const older = `update audit set chain = null, content_digest = null, salt = null where org_id = 'org_1';
        update audit_heads set chain = '', chained_from = seq where org_id = 'org_1';
        delete from audit_checkpoints where org_id = 'org_1'`
      expect(await verdictAfter(older)).toMatchObject({ entries: 2 * entries, beforeChain: entries, problems: [] })
      const gap = `${older}; delete from audit ${second}`
      expect((await verdictAfter(gap))?.problems).toMatchObject([{ seq: 3 }])
    })
  })

  describe(`${name}: an audit log that goes on`, () => {
    async function temporaryBook(): Promise<Logbook> {
      const opened = await open()
      onTestFinished(() => opened.close())
      return newLogbook(opened.sql)
    }

    test('keeps one chain under 64 appends at once, and stays good as it loses its details and checkpoints', async () => {
      const book = await temporaryBook()
      await Promise.all(Array.from({ length: 64 }, () => note(book, { action: 'sign-out' }, other.id)))
      expect(await verdictOf(book, book.sql)).toMatchObject({ sinceCheckpoint: 64, problems: [] })
      await Promise.all([book.checkpoints.signAll(), book.checkpoints.signAll()])
      expect(await verdictOf(book, book.sql)).toMatchObject({ checkpoints: 5, sinceCheckpoint: 0, problems: [] })
      await book.checkpoints.signAll()
      expect(await storedCheckpoints(book.sql, other.id)).toHaveLength(3)

      // The details of each entry go when their time is over.
      const { sql, clock } = book
      await note(book, { action: 'session.refresh', facts: { sessionId: 'ses_1' } }, other.id)
      const total = 2 * entries + 65
      const sweptAfter = async (days: number): Promise<Awaited<ReturnType<typeof verdictOf>>> => {
        await sweepAudit(sql, clock.now() + days * day, retention)
        return verdictOf(book, sql, { days })
      }
      expect(await sweptAfter(89)).toMatchObject({ withoutDetails: 0, checkpoints: 5, problems: [] })
      expect(await sweptAfter(91)).toMatchObject({ withoutDetails: 1, problems: [] })
      expect(await sweptAfter(401)).toMatchObject({ entries: total, withoutDetails: total, problems: [] })
      const [left] = await new AuditLog(sql).list(other.id, { limit: 1 })
      expect(left).toEqual({ seq: entries + 65, atMs: expect.any(Number), action: 'session.refresh' })

      // Of each day before yesterday the last checkpoint stays.
      await sweepAudit(book.sql, book.clock.now() + day, retention)
      expect(await verdictOf(book, book.sql, { days: 401 })).toMatchObject({ checkpoints: 2, problems: [] })
      const kept = await storedCheckpoints(book.sql, other.id)
      expect(kept.map(({ seq }) => seq)).toEqual([entries + 64])
    })

    test('shows an older entry by `rules` as one by the system, and stays good', async () => {
      const { sql, clock } = await temporaryBook()
      const actor = {
        orgId,
        id: 'user_1',
        how: 'rules' as unknown as 'system',
        client: 'removed member',
        requestId: undefined,
      }
      await sql.tx((tx) => appendAudit(tx, actor, { action: 'sign-out', nowMs: clock.now() }))
      const [entry] = await new AuditLog(sql).list(orgId, { limit: 1 })
      expect(entry).toMatchObject({ action: 'sign-out', how: 'system', client: 'removed member' })
    })
  })
}
