import { backup, DatabaseSync } from 'node:sqlite'

/** All pages in one step: a snapshot of one moment that blocks no writer. */
const allPages = 2 ** 31 - 1

/** Copies a consistent snapshot of a SQLite file that other processes may be writing. Replaces the file at `to`. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(source, to, { rate: allPages })
  } finally {
    source.close()
  }
}
