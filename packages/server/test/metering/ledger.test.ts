/** The ledger of the embedded store. */
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noReads } from '../../src/consistency/read-set.ts'
import { JournalCounter } from '../../src/metering/journal-counter.ts'
import { Ledger } from '../../src/metering/ledger.ts'
import { freePlan, unlimited, type Plan } from '../../src/metering/plans.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { deleteExpiredRequestKeys } from '../../src/storage/usage.ts'
import { UsageJournal } from '../../src/storage/usage-journal.ts'
import { TestClock } from '../../testkit/clock.ts'
import { silent, temporaryStore } from '../storage/temporary.ts'
import { meterSuite } from './meter.suite.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

const startMs = Date.UTC(2026, 8, 21, 12)

meterSuite('the embedded ledger', async (clock) => {
  const folder = temporaryFolder()
  const sql = await temporaryStore(clock.now())
  const journal = await UsageJournal.open(sql, folder, silent)
  // Files that the journal will come to, on a disk that is full.
  const full = Array.from({ length: 10 }, (_, index) => path.join(folder, `${index + 1}.journal`))
  return {
    sql,
    meter: (plan) => new Ledger(new JournalCounter({ journal, sql, plan, clock }), plan),
    settle: () => journal.fold(),
    breakStore: async () => full.forEach((file) => symlinkSync('/dev/full', file)),
    mendStore: async () => full.forEach((file) => rmSync(file)),
    close: () => journal.close(),
  }
})

describe('the embedded ledger', () => {
  async function opened(plan: Plan = unlimited) {
    const clock = new TestClock()
    clock.freezeAt(startMs)
    const sql = await temporaryStore(startMs)
    await sql.tx((tx) => insertOrganization(tx, { id: 'org_1', idpOrgId: 'idp_1', slug: 'acme', nowMs: startMs }))
    const folder = temporaryFolder()
    const journal = await UsageJournal.open(sql, folder, silent)
    const ledger = new Ledger(new JournalCounter({ journal, sql, plan, clock }), plan)
    const charge = (requestKey?: string) =>
      ledger.charge(
        { orgId: 'org_1', projectId: '', stageId: '', caller: 'user_1', how: 'session', requestKey },
        noReads,
      )
    const lines = (): string[] =>
      readdirSync(folder).flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n').slice(0, -1))
    return { clock, sql, journal, ledger, charge, lines }
  }

  test('counts its outcomes for the metrics', async () => {
    const { sql, ledger, charge } = await opened(freePlan(2, 100))
    await Promise.all(['a', 'a', 'b', 'c', undefined, 'a'].map(charge))
    const reservation = await sql.tx((tx) => ledger.reserve(tx, 'org_1', 70))
    expect(ledger.counts).toEqual({ counted: 2, repeated: 2, refused: 2, settledBytes: 0, releasedBytes: 0 })
    if (reservation) ledger.settle(reservation)
    ledger.release({ orgId: 'org_1', bytes: 5 })
    expect(ledger.counts).toMatchObject({ settledBytes: 70, releasedBytes: 5 })
  })

  test.each([true, false])('keeps a key until its 600 seconds have passed, in the tables: %s', async (inTables) => {
    const { clock, sql, journal, charge } = await opened()
    const again = async () => {
      if (inTables) await journal.fold()
      await sql.tx((tx) => deleteExpiredRequestKeys(tx, clock.now()))
      return charge('key')
    }
    expect(await again()).toBe('counted')
    clock.advance(599_999)
    expect(await again()).toBe('repeated')
    clock.advance(1)
    expect(await again()).toBe('counted')
    clock.advance(599_999)
    expect(await again()).toBe('repeated')
  })

  test('keeps only a hash of a key', async () => {
    const { sql, journal, charge, lines } = await opened()
    await charge('canary-key')
    expect(lines()).toHaveLength(1)
    await journal.fold()
    const rows = await sql.all<{ key_hash: string }>('select key_hash from request_keys')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify([rows, lines()])).not.toContain('canary')
  })

  test('stores a thousand events that come at once as one line', async () => {
    const { charge, lines } = await opened()
    await Promise.all(Array.from({ length: 1_000 }, () => charge()))
    expect(lines()).toEqual([expect.stringMatching(/^[0-9a-f]{8} /)])
    expect(lines()[0]).toContain(JSON.stringify([startMs, ['org_1', '', '', 1_000, null, 'session', 'user_1']]))
  })

  test('answers an event that comes while others are being stored', async () => {
    const { charge } = await opened()
    const first = charge()
    const later = new Promise((resolve) => {
      setImmediate(() => resolve(charge()))
    })
    expect(await Promise.all([first, later])).toEqual(['counted', 'counted'])
    expect(await charge()).toBe('counted')
  })

  test('passes no limit while usage moves to the tables', async () => {
    const { journal, charge } = await opened(freePlan(500, 0))
    let counted = 0
    for (let wave = 0; wave < 60; wave++) {
      const folding = journal.fold()
      const charges = await Promise.all(
        Array.from({ length: 10 }, (_, index) => charge(index % 2 ? undefined : `${wave} ${index}`)),
      )
      counted += charges.filter((each) => each === 'counted').length
      if (wave % 3 === 0) await folding
    }
    expect(counted).toBe(500)
  })
})
