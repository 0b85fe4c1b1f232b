import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noClaims } from '../../src/base/claims.ts'
import { Ledger } from '../../src/metering/ledger.ts'
import { freePlan, unlimited } from '../../src/metering/plans.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { insertOrganization } from '../../src/storage/organizations.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { deleteExpiredRequestKeys } from '../../src/storage/usage.ts'
import { TestClock } from '../../testkit/clock.ts'
import { silent, temporaryStore } from '../storage/temporary.ts'
import { meterSuite } from './meter.suite.ts'

const startMs = Date.UTC(2026, 8, 21, 12)

meterSuite('the embedded ledger', async (clock) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rollkey-unit-'))
  const file = path.join(folder, 'rollkey.db')
  const sql = openSqlite(file)
  await migrate(sql, clock.now(), silent)
  // Another process that holds the database is what the embedded store can meet; it need not wait for it here.
  await sql.tx((tx) => tx.all('pragma busy_timeout = 0'))
  let other: DatabaseSync | undefined
  return {
    sql,
    meter: (plan) => new Ledger({ sql, plan, clock }),
    async breakStore() {
      other = new DatabaseSync(file)
      other.exec('begin immediate')
    },
    async mendStore() {
      other?.close()
    },
    async close() {
      await sql.close()
      rmSync(folder, { recursive: true })
    },
  }
})

describe('the embedded ledger', () => {
  async function opened() {
    const clock = new TestClock()
    clock.freezeAt(startMs)
    const sql = await temporaryStore(startMs)
    await sql.tx((tx) => insertOrganization(tx, { id: 'org_1', idpOrgId: 'idp_1', slug: 'acme', nowMs: startMs }))
    return { clock, sql }
  }
  const event = { orgId: 'org_1', projectId: '', stageId: '' }

  test('counts its outcomes for the metrics', async () => {
    const { clock, sql } = await opened()
    const ledger = new Ledger({ sql, plan: freePlan(2, 100), clock })
    const keys = ['a', 'a', 'b', 'c', undefined, 'a']
    await Promise.all(keys.map((requestKey) => ledger.charge({ ...event, requestKey }, noClaims)))
    const reservation = await sql.tx((tx) => ledger.reserve(tx, 'org_1', 70))
    expect(ledger.counts).toEqual({ counted: 2, repeated: 2, refused: 2, settledBytes: 0, releasedBytes: 0 })
    if (reservation) ledger.settle(reservation)
    ledger.release({ orgId: 'org_1', bytes: 5 })
    expect(ledger.counts).toMatchObject({ settledBytes: 70, releasedBytes: 5 })
  })

  test('keeps a key through the sweep until its 600 seconds have passed', async () => {
    const { clock, sql } = await opened()
    const ledger = new Ledger({ sql, plan: unlimited, clock })
    const charge = async () => {
      await sql.tx((tx) => deleteExpiredRequestKeys(tx, clock.now()))
      return ledger.charge({ ...event, requestKey: 'key' }, noClaims)
    }
    expect(await charge()).toBe('counted')
    clock.advance(599_999)
    expect(await charge()).toBe('repeated')
    clock.advance(1)
    expect(await charge()).toBe('counted')
  })

  test('keeps only a hash of a key', async () => {
    const { clock, sql } = await opened()
    await new Ledger({ sql, plan: unlimited, clock }).charge({ ...event, requestKey: 'canary-key' }, noClaims)
    const rows = await sql.all<{ key_hash: string }>('select key_hash from request_keys')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('canary')
  })

  test('stores a thousand events that come at once by one transaction', async () => {
    const { clock, sql } = await opened()
    let transactions = 0
    const counting: Sql = {
      all: (...args) => sql.all(...args),
      tx: (...args) => {
        transactions++
        return sql.tx(...args)
      },
      alone: (work) => sql.alone(work),
      close: () => sql.close(),
    }
    const ledger = new Ledger({ sql: counting, plan: unlimited, clock })
    await Promise.all(Array.from({ length: 1_000 }, () => ledger.charge({ ...event, requestKey: undefined }, noClaims)))
    expect(transactions).toBe(1)
  })

  test('answers an event that comes while others are being stored', async () => {
    const { clock, sql } = await opened()
    const ledger = new Ledger({ sql, plan: unlimited, clock })
    const first = ledger.charge({ ...event, requestKey: undefined }, noClaims)
    const later = new Promise((resolve) => {
      setImmediate(() => resolve(ledger.charge({ ...event, requestKey: undefined }, noClaims)))
    })
    expect(await Promise.all([first, later])).toEqual(['counted', 'counted'])
    expect(await ledger.charge({ ...event, requestKey: undefined }, noClaims)).toBe('counted')
  })
})
