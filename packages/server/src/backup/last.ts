/** The record of the latest backup, in the data directory. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'

export interface LastBackup {
  readonly atMs: number
  /** Absent for a backup that went to standard output. */
  readonly file?: string
}

const fileName = 'last-backup.json'

export function recordBackup(dataDir: string, last: LastBackup): Promise<void> {
  return writeFile(path.join(dataDir, fileName), JSON.stringify(last), { mode: 0o600 })
}

/** Returns the latest backup, or undefined if there is none. */
export function lastBackup(dataDir: string): LastBackup | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, fileName), 'utf8')) as LastBackup
  } catch {
    return undefined
  }
}
