/** Numbered SQL files, applied in order, each in one transaction with its own record; never edited after a release. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Log } from '../base/log.ts'
import { first, type Sql } from './sql.ts'

const folder = new URL('migrations/', import.meta.url)

interface Migration {
  readonly id: number
  readonly name: string
}

function migrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ id: Number.parseInt(name, 10), name }))
}

export async function schemaVersion(sql: Sql): Promise<number> {
  const row = await first(sql.all<{ id: number | null }>('select max(id) as id from migrations'))
  return row?.id ?? 0
}

/** Brings the schema up to this build's; refuses one that a newer build has written. */
export async function migrate(sql: Sql, nowMs: number, log: Log): Promise<void> {
  const all = migrations()
  const present = await schemaVersion(sql)
  const newest = all.at(-1)?.id ?? 0
  if (present > newest) {
    throw new Error(
      `The database has schema ${present}, this Rollkey knows up to ${newest}: start the newer Rollkey, or restore a backup from before the upgrade.`,
    )
  }
  const missing = all.filter(({ id }) => id > present)
  for (const [index, { id, name }] of missing.entries()) {
    log.info('migrating the database', { name, step: index + 1, steps: missing.length })
    await sql.tx(async (tx) => {
      await tx.script(readFileSync(new URL(name, folder), 'utf8'))
      await tx.all('insert into migrations (id, name, applied_at_ms) values ($1, $2, $3)', id, name, nowMs)
    })
  }
}
