/** The temporary folder of the tests. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const memory = '/dev/shm'
/** All tests need 1.3 GiB. The rest is reserve. */
const neededBytes = 3 * 1024 ** 3

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}

/**
 * Makes one folder the temporary one of this process and its children, and deletes it at exit. The folder is in memory if there
 * is space and `realDisk` is false: a quarter of the time of all tests is waiting for syncs.
 */
export function useOneFolder(realDisk: boolean): void {
  const folder = mkdtempSync(path.join(!realDisk && hasRoom(memory) ? memory : tmpdir(), 'rollkey-tests-'))
  chmodSync(folder, 0o755) // PostgreSQL runs as another user
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}
