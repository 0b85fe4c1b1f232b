/**
 * The lock of a data directory: an exclusive transaction on a small SQLite file. The kernel releases it when the process
 * ends, also by kill -9, so there is no stale lock to clean up.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'

const retryMs = 100
/** SQLITE_BUSY: <https://sqlite.org/rescode.html>. */
const busy = 5

export interface Lock {
  release(): void
}

/** Takes the lock. Returns undefined if another process still holds it after `patienceMs`. */
export async function takeLock(path: string, timeoutMs = 5_000): Promise<Lock | undefined> {
  const db = new DatabaseSync(path)
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      db.exec('pragma locking_mode = exclusive; begin exclusive')
      return { release: () => db.close() }
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy) throw error
      if (waitedMs >= timeoutMs) break
      await sleep(retryMs)
    }
  }
  db.close()
  return undefined
}
