/** The command that checks a deployment. It changes nothing. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { Report } from '../admin/command.ts'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../config.ts'
import { examine, tableOf } from '../doctor/report.ts'
import { openKeyring } from './keys.ts'
import type { OfflineCommand } from './restore.ts'
import { readSqlite } from '../storage/sqlite.ts'
import type { Sql } from '../storage/sql.ts'

/** Opens the store, even while a server uses it. Returns undefined if there is no store or it does not answer. */
async function storeOf({ DATABASE_URL, DATA_DIR }: Config): Promise<Sql | undefined> {
  if (DATABASE_URL === undefined) {
    const file = path.join(DATA_DIR, 'rollkey.db')
    return existsSync(file) ? readSqlite(file) : undefined
  }
  const { connectPostgres } = await import('../storage/postgres.ts')
  const sql = connectPostgres(DATABASE_URL, 1)
  return sql.all('select 1').then(
    () => sql,
    () => sql.close().then(() => undefined),
  )
}

export const doctor: OfflineCommand = {
  about: 'check settings, files, store, keys and network connections; exit status 1 if a check fails',
  takes: [],
  run: async (_, config) => {
    const sql = await storeOf(config)
    try {
      const findings = await examine({
        config,
        sql,
        clock: systemClock,
        openKeyring: (reader) => openKeyring({ config, store: { sql: reader }, clock: systemClock }),
      })
      const good = findings.every(({ result }) => result !== 'fail')
      return new Report({ good, findings }, tableOf(findings))
    } finally {
      await sql?.close()
    }
  },
}
