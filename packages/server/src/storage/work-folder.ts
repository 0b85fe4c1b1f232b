/**
 * Folders in the data directory where a backup is made or opened, unsealed. A killed process leaves its own behind; the
 * kernel has released the lock in it then, which tells what is left from what is in use.
 */
import { mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { takeLock } from './lock.ts'

const prefix = '.unsealed-'
const lockName = 'work.lock'
const elsewhere = 'elsewhere'

/** Deletes the folders that killed processes have left in the data directory, and what belongs to them. */
export async function sweepWorkFolders(dataDir: string): Promise<void> {
  const names = await readdir(dataDir)
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const folder = path.join(dataDir, name)
    const lock = await takeLock(path.join(folder, lockName), 0)
    if (!lock) continue
    await remove(folder)
    lock.release()
  }
}

/** Runs `work` with a new folder, and deletes that after it. */
export async function inWorkFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  await sweepWorkFolders(dataDir)
  const folder = await mkdtemp(path.join(dataDir, prefix))
  const lock = await takeLock(path.join(folder, lockName), 0)
  try {
    return await work(folder)
  } finally {
    await remove(folder)
    lock?.release()
  }
}

/** Has a file elsewhere deleted together with the folder, unless it bears another name by then. */
export function deleteWith(folder: string, file: string): Promise<void> {
  return symlink(path.resolve(file), path.join(folder, elsewhere))
}

async function remove(folder: string): Promise<void> {
  const file = await readlink(path.join(folder, elsewhere)).catch(() => undefined)
  if (file !== undefined) await rm(file, { force: true })
  await rm(folder, { recursive: true, force: true })
}
