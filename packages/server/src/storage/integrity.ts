import { DatabaseSync } from 'node:sqlite'

/** What SQLite finds wrong in a database file, at most a few lines; empty if it is whole. Others may be writing it. */
export function errorsOfRun(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare('pragma integrity_check(10)').all() as { integrity_check: string }[]
    const orphans = database.prepare('pragma foreign_key_check').all() as { table: string }[]
    return [
      ...rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
      ...new Set(orphans.map(({ table }) => `${table} has rows whose owner is gone`)),
    ]
  } catch (error) {
    return [(error as Error).message]
  } finally {
    database.close()
  }
}
