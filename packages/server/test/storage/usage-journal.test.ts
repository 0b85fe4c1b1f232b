import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../src/base/api-error.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { UsageJournal, type JournalEntry } from '../../src/storage/usage-journal.ts'
import { Once, under } from '../../testkit/faults.ts'
import { callersBetween } from '../../src/metering/usage.ts'
import { hasRequestKey, readMeter, usageBetween } from '../../src/storage/usage.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { silent } from './temporary.ts'

const nowMs = Date.UTC(2026, 8, 30, 23, 59, 59, 999)
const units = (count: number, keyHash?: string): JournalEntry => ({
  orgId: 'org_1',
  projectId: '',
  stageId: '',
  units: count,
  keyHash,
  caller: 'user_1',
  how: 'session',
})

/** A store and its journal in a folder; `crash` is what kill -9 leaves of them, opened again. */
async function opened(folder = temporaryFolder()) {
  const file = path.join(folder, 'rollkey.db')
  const sql = openSqlite(file)
  onTestFinished(() => sql.close())
  await migrate(sql, nowMs, silent)
  await sql.tx(async (tx) => {
    const [row] = await tx.all('select id from organizations')
    if (!row) await insertOrganization(tx, { id: 'org_1', idpOrgId: 'org_1', slug: 'org_1', nowMs })
  })
  const journals = path.join(folder, 'usage')
  const journal = await UsageJournal.open(sql, journals, silent)
  onTestFinished(() => journal.close().catch(() => {}))
  const used = (period: string): Promise<number> => readMeter(sql, { orgId: 'org_1', meter: 'evaluations', period })
  return {
    sql,
    file,
    journal,
    used,
    /** In the tables and not yet there, of September and October. */
    counts: async () => [
      await used('2026-09'),
      journal.pendingUnits('org_1', '2026-09'),
      await used('2026-10'),
      journal.pendingUnits('org_1', '2026-10'),
    ],
    files: () => readdirSync(journals),
    journals,
    crash: async () => {
      const copy = temporaryFolder()
      cpSync(folder, copy, { recursive: true })
      return opened(copy)
    },
  }
}

test('events are pending until they are in the tables, each in its month and day', async () => {
  const { sql, journal, counts } = await opened()
  journal.append(nowMs, [units(3), units(1, 'hash')])
  journal.append(nowMs + 1, [units(5)])
  expect(await counts()).toEqual([0, 4, 0, 5])
  await journal.fold()
  expect(await counts()).toEqual([4, 0, 5, 0])
  expect((await usageBetween(sql, '2026-09-01', '2026-10-31')).map((row) => [row.day, row.evaluations])).toEqual([
    ['2026-09-30', 4],
    ['2026-10-01', 5],
  ])
})

test('a key is known from the moment that its event is stored until it expires', async () => {
  const { sql, journal } = await opened()
  const known = async (hash: string, orgId = 'org_1', atMs = nowMs) =>
    journal.hasPendingKey(orgId, hash, atMs) || (await hasRequestKey(sql, orgId, hash, atMs))
  expect(await known('hash 1')).toBe(false)
  journal.append(
    nowMs,
    Array.from({ length: 120 }, (_, index) => units(1, `hash${index}`)),
  )
  for (const when of ['pending', 'in the tables']) {
    const found = await Promise.all(['hash0', 'hash119', 'hash120', 'HASH0'].map((hash) => known(hash)))
    expect([when, ...found]).toEqual([when, true, true, false, false])
    expect(await known('hash0', 'org_2')).toBe(false)
    expect([await known('hash0', 'org_1', nowMs + 599_999), await known('hash0', 'org_1', nowMs + 600_000)]).toEqual([
      true,
      false,
    ])
    await journal.fold()
  }
  expect(await sql.all('select key_hash from request_keys')).toHaveLength(120)
})

test('while many keys move to the tables each is always known', async () => {
  const { sql, journal } = await opened()
  journal.append(
    nowMs,
    Array.from({ length: 500 }, (_, index) => units(1, `hash${index}`)),
  )
  let looks = 0
  const folding = journal.fold().then(() => 'folded')
  while ((await Promise.race([folding, nextTurn('folding')])) === 'folding') {
    const hash = `hash${looks++ % 500}`
    expect(journal.hasPendingKey('org_1', hash, nowMs) || (await hasRequestKey(sql, 'org_1', hash, nowMs))).toBe(true)
  }
  expect(looks).toBeGreaterThan(5)
})

test('what was appended before a crash is counted once, however often it crashes', async () => {
  const first = await opened()
  first.journal.append(nowMs, [units(3), units(1, 'hash')])
  await first.journal.fold()
  first.journal.append(nowMs, [units(7)])
  const second = await first.crash()
  expect(await second.used('2026-09')).toBe(11)
  second.journal.append(nowMs, [units(10)])
  const third = await second.crash()
  expect(await third.used('2026-09')).toBe(21)
  const fourth = await third.crash()
  expect([await fourth.used('2026-09'), fourth.files()]).toEqual([21, []])
})

test('a crash between the commit and the end of the file does not count it twice', async () => {
  const { journal, files, crash, used } = await opened()
  journal.append(nowMs, [units(3)])
  await journal.fold()
  // The file stays until the tables are certainly on the disk.
  expect(files()).toHaveLength(1)
  expect([await used('2026-09'), await (await crash()).used('2026-09')]).toEqual([3, 3])
})

test('a line that was cut off is not counted, the whole ones before it are', async () => {
  for (const cut of ['[1, ["org', `[${nowMs},["org_1","","",9]]`, '\u0000\u0000\u0000\n[5]\n']) {
    const { journal, journals, files, crash } = await opened()
    journal.append(nowMs, [units(3)])
    journal.append(nowMs, [units(4)])
    appendFileSync(path.join(journals, files()[0] as string), cut)
    const after = await crash()
    expect([cut, await after.used('2026-09')]).toEqual([cut, 7])
  }
})

test('lines of a version before checksums and callers are counted after an upgrade', async () => {
  const { sql, used, journal } = await opened()
  await journal.close()
  const folder = temporaryFolder()
  const lines = [
    [nowMs, ['org_1', '', '', 3]],
    [nowMs, ['org_1', '', '', 1, 'hash']],
  ]
  writeFileSync(path.join(folder, '2.journal'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const after = await UsageJournal.open(sql, folder, silent)
  expect(await used('2026-09')).toBe(4)
  await after.close()
})

test('a line of which a bit is another is not counted, wherever that is, and the lines beside it are', async () => {
  const { sql, journal, journals, files, used } = await opened()
  for (const count of [3, 4, 9]) journal.append(nowMs, [units(count, `key ${count}`)])
  const whole = readFileSync(path.join(journals, files()[0] as string))
  await journal.close()
  const lineBits = 8 * (whole.indexOf('\n') + 1)
  const step = isLong ? 1 : 29
  for (let bit = lineBits; bit < 2 * lineBits - 8; bit += step) {
    const folder = temporaryFolder()
    const flipped = Buffer.from(whole)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    writeFileSync(path.join(folder, '2.journal'), flipped)
    for (const table of ['meters', 'usage_days', 'usage_callers', 'request_keys'])
      await sql.tx((tx) => tx.all(`delete from ${table}`))
    const after = await UsageJournal.open(sql, folder, silent)
    expect([bit, await used('2026-09')]).toEqual([bit, 12])
    await after.close()
  }
})

test('an error at any step of the way to the tables loses nothing and counts nothing twice, also with a crash after it', async () => {
  const recorded = new Once()
  const undisturbed = await opened()
  undisturbed.journal.append(nowMs, [units(3), units(1, 'hash')])
  await under(recorded, () => undisturbed.journal.fold())
  expect(recorded.met).toContain('after sync usage')
  for (const point of recorded.met) {
    // SQLite reports that a commit failed only if it did.
    if (point.startsWith('after commit') || !(isLong || /journal|usage/.test(point))) continue
    const { journal, counts, crash } = await opened()
    journal.append(nowMs, [units(3), units(1, 'hash')])
    await under(new Once('error', point), () => journal.fold()).catch(() => {})
    const [inTables = 0, pending = 0] = await counts()
    const after = await crash()
    expect([point, inTables + pending, await after.used('2026-09')]).toEqual([point, 4, 4])
    await journal.fold()
    expect(await counts()).toEqual([4, 0, 0, 0])
  }
})

test('what a failed sync may have lost goes to the tables at once, and with a sync of theirs', async () => {
  const { journal, counts } = await opened()
  for (const action of ['delay', 'unsynced'] as const) {
    const order = new Once(action, 'before sync .journal')
    journal.append(nowMs, [units(3)])
    await under(order, () => journal.fold())
    const isLax = order.met.includes('after pragma synchronous = normal')
    expect([action, isLax]).toEqual([action, action === 'delay'])
  }
  expect(await counts()).toEqual([6, 0, 0, 0])
})

test('lines of an older version are counted for an unknown caller', async () => {
  const { sql, journals, journal, crash } = await opened()
  journal.append(nowMs, [units(2)])
  const json = JSON.stringify([nowMs, ['org_1', '', '', 5], ['org_1', '', '', 1, 'hash']])
  appendFileSync(path.join(journals, '1.journal'), `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`)
  const after = await crash()
  expect(await after.used('2026-09')).toBe(8)
  expect(await hasRequestKey(after.sql, 'org_1', 'hash', nowMs)).toBe(true)
  const { callers: rows } = await callersBetween(after.sql, 'org_1', { from: '2026-09-30', to: '2026-09-30' })
  expect(rows.map(({ how, caller, evaluations }) => [how, caller, evaluations])).toEqual([
    ['', '', 6],
    ['session', 'user_1', 2],
  ])
  expect(await sql.all('select caller from usage_callers')).toEqual([])
})

test('a full disk stores nothing and loses nothing', async () => {
  const { journal, journals, counts, crash } = await opened()
  journal.append(nowMs, [units(3)])
  await journal.fold()
  symlinkSync('/dev/full', path.join(journals, '2.journal'))
  expect(() => journal.append(nowMs, [units(50)])).toThrow(StoreUnavailable)
  journal.append(nowMs, [units(4)])
  expect(await counts()).toEqual([3, 4, 0, 0])
  await journal.fold()
  expect(await counts()).toEqual([7, 0, 0, 0])
  expect(await (await crash()).used('2026-09')).toBe(7)
})

test('tables that cannot be written are caught up with later', async () => {
  const { journal, file, counts, sql } = await opened()
  await sql.tx((tx) => tx.all('pragma busy_timeout = 0'))
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  for (const count of [3, 4]) {
    journal.append(nowMs, [units(count), units(1, `hash${count}`)])
    await expect(journal.fold()).rejects.toBeInstanceOf(StoreUnavailable)
  }
  expect(await counts()).toEqual([0, 9, 0, 0])
  other.close()
  await journal.fold()
  expect(await counts()).toEqual([9, 0, 0, 0])
})
