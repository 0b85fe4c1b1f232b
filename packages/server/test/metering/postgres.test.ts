/** The ledger of a node that shares PostgreSQL with others: most events are counted by rounds. */
import { inject } from 'vitest'
import { Client } from 'pg'
import { Ledger } from '../../src/metering/ledger.ts'
import { NodeRows } from '../../src/metering/node-rows.ts'
import { unlimited } from '../../src/metering/plans.ts'
import { RoundCounter } from '../../src/metering/round-counter.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { countingValidator } from '../../src/metering/joined-counting.ts'
import { newMigratedDatabase } from '../../testkit/postgres.ts'
import { meterSuite } from './meter.suite.ts'

/** Asks the server that `url` is on, in another database of it. */
async function administer(url: string, text: string): Promise<void> {
  const client = new Client(inject('postgresUrl'))
  await client.connect()
  await client.query(text.replaceAll('NAME', new URL(url).pathname.slice(1)))
  await client.end()
}

meterSuite('the ledger of several nodes', async (clock) => {
  const url = await newMigratedDatabase(inject('postgresUrl'))
  const sql = await openPostgres(url, 10)
  return {
    sql,
    meter(plan) {
      const rows = new NodeRows({ sql, plan, clock })
      const validator = countingValidator({ sql, clock, rows, memberTable: undefined })
      return new Ledger(new RoundCounter({ validator, sql, rows, clock }), plan)
    },
    settle: () => new NodeRows({ sql, plan: unlimited, clock }).fold(),
    async breakStore() {
      await administer(url, 'alter database NAME with allow_connections false')
      await administer(url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'NAME'`)
    },
    mendStore: () => administer(url, 'alter database NAME with allow_connections true'),
    close: () => sql.close(),
  }
})
