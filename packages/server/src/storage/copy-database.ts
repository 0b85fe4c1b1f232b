import { backup, DatabaseSync } from 'node:sqlite'

/** All pages in one step: a reader's view of one moment, which holds no writer up. */
const allPages = 2 ** 31 - 1

/** A copy of a SQLite file that others may be writing, as it is at one moment. Replaces what is at `to`. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(source, to, { rate: allPages })
  } finally {
    source.close()
  }
}
