/**
 * Folders in the data directory where a backup is made or opened, unsealed. A killed process leaves its folder behind, but
 * the kernel releases the lock in it. A folder whose lock is free is therefore not in use.
 */
import { mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { takeLock } from './lock.ts'

const prefix = '.unsealed-'
const lockName = 'work.lock'
const linkName = 'elsewhere'

/** Deletes the folders that killed processes left in the data directory, and the files that belong to them. */
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

export interface WorkFolder {
  readonly path: string
  /** Deletes the folder and what is in it. */
  remove(): Promise<void>
}

/** Creates a folder, which its creator removes. */
export async function createWorkFolder(dataDir: string): Promise<WorkFolder> {
  await sweepWorkFolders(dataDir)
  const folder = await mkdtemp(path.join(dataDir, prefix))
  const lock = await takeLock(path.join(folder, lockName), 0)
  return {
    path: folder,
    async remove() {
      await remove(folder)
      lock?.release()
    },
  }
}

/** Runs `work` with a new folder, and deletes the folder afterwards. */
export async function withWorkFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await createWorkFolder(dataDir)
  return work(folder.path).finally(() => folder.remove())
}

/** Marks a file elsewhere to be deleted with the folder, unless the file has been renamed by then. */
export function deleteWith(folder: string, file: string): Promise<void> {
  return symlink(path.resolve(file), path.join(folder, linkName))
}

async function remove(folder: string): Promise<void> {
  const file = await readlink(path.join(folder, linkName)).catch(() => undefined)
  if (file !== undefined) await rm(file, { force: true })
  await rm(folder, { recursive: true, force: true })
}
