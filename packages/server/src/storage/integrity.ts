import { DatabaseSync } from 'node:sqlite'

/**
 * Returns what SQLite finds wrong in a database file, in a few lines; empty if the file is intact. Other processes may be
 * writing the file.
 */
export function integrityErrors(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare('pragma integrity_check(10)').all() as { integrity_check: string }[]
    const orphans = database.prepare('pragma foreign_key_check').all() as { table: string }[]
    return [
      ...rows.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
      ...new Set(orphans.map(({ table }) => `${table} has rows that refer to a missing row`)),
    ]
  } catch (error) {
    return [(error as Error).message]
  } finally {
    database.close()
  }
}
