/**
 * Migrations: numbered SQL files, applied in order, each in one transaction with its own record. A file is never edited
 * after a release.
 */
import type { Log } from '../base/log.ts'
import { shippedFiles } from '../base/shipped-files.ts'
import { first, type Reader, type Sql, type Tx } from './sql.ts'

const files = shippedFiles('migrations')

interface Migration {
  readonly id: number
  readonly name: string
}

function migrations(): Migration[] {
  return files.names
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ id: Number.parseInt(name, 10), name }))
}

export async function schemaVersion(sql: Reader): Promise<number> {
  const row = await first(sql.all<{ id: number | null }>('select max(id) as id from migrations'))
  return row?.id ?? 0
}

/** Returns the schema version of this build. */
export function newestSchema(): number {
  return migrations().at(-1)?.id ?? 0
}

/** Returns the migrations from the schema version `present` to that of this build. Throws if a newer build has written it. */
export function migrationsSince(present: number): Migration[] {
  const newest = newestSchema()
  if (present > newest) {
    throw new Error(
      `The database has schema version ${present} (expected at most ${newest}): start the newer Rollkey, or restore a backup from before the upgrade.`,
    )
  }
  return migrations().filter(({ id }) => id > present)
}

/** Migrates the schema to the version of this build. If several nodes start at once, one of them migrates. */
export async function migrate(sql: Sql, nowMs: number, log: Log): Promise<void> {
  const present = await schemaVersion(sql)
  const newest = newestSchema()
  for (const migration of migrationsSince(present))
    await sql.alone((tx) => apply(tx, migration, { present, nowMs, newest, log }))
}

async function apply(
  tx: Tx,
  { id, name }: Migration,
  { present, nowMs, newest, log }: { present: number; nowMs: number; newest: number; log: Log },
): Promise<void> {
  if ((await schemaVersion(tx)) >= id) return
  if (present > 0) log.info('migrating the database', { name, step: id, steps: newest })
  // A first start runs every migration, and logs one line for all of them.
  else if (id === 1) log.info('creating the database', { steps: newest })
  await tx.script(files.read(name).toString())
  await tx.all('insert into migrations (id, name, applied_at_ms) values ($1, $2, $3)', id, name, nowMs)
}
