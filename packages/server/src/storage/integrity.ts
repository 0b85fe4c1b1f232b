import { DatabaseSync } from 'node:sqlite'

/** What SQLite finds in a database file. */
interface Integrity {
  /** What is wrong, in a few lines; empty if nothing is. */
  readonly errors: readonly string[]
  /** Tables that have too many rows for this check. */
  readonly unchecked: readonly string[]
}

/** Checks a database file as a whole. Other processes may be writing the file. Returns what is wrong; empty if it is intact. */
export function integrityErrors(file: string): readonly string[] {
  return examineFile(file, (database) => ({ errors: errorsIn(database), unchecked: [] })).errors
}

/** Checks the tables of a database file that have at most `maxRows` rows, which bounds the time. */
export function boundedIntegrity(file: string, maxRows: number): Integrity {
  return examineFile(file, (database) => {
    const tables = tablesOf(database)
    const small = tables.filter((table) => countUpTo(database, table, maxRows + 1) <= maxRows)
    if (small.length === tables.length) return { errors: errorsIn(database), unchecked: [] }
    return {
      errors: small.flatMap((table) => errorsIn(database, table)),
      unchecked: tables.filter((table) => !small.includes(table)),
    }
  })
}

function examineFile(file: string, check: (database: DatabaseSync) => Integrity): Integrity {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return check(database)
  } catch (error) {
    return { errors: [(error as Error).message], unchecked: [] }
  } finally {
    database.close()
  }
}

function tablesOf(database: DatabaseSync): string[] {
  const rows = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all()
  return (rows as { name: string }[]).map(({ name }) => name)
}

function countUpTo(database: DatabaseSync, table: string, max: number): number {
  const { rows } = database.prepare(`select count(*) as rows from (select 1 from "${table}" limit ${max})`).get() as {
    rows: number
  }
  return rows
}

/** Returns what is wrong in the database, or in one table of it. */
function errorsIn(database: DatabaseSync, table?: string): string[] {
  const [found, orphans] = table === undefined ? ['(10)', ''] : [`("${table}")`, `("${table}")`]
  const rows = database.prepare(`pragma integrity_check${found}`).all() as { integrity_check: string }[]
  const orphaned = database.prepare(`pragma foreign_key_check${orphans}`).all() as { table: string }[]
  return [
    ...rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
    ...new Set(orphaned.map((row) => `${row.table} has rows that refer to a missing row`)),
  ]
}
