import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Puts a file in its place whole or not at all, also when the power fails, readable by its owner only (mode 0600). Until
 * then the content is in a file beside it, of the same mode. Throws the errors of the file system.
 */
export async function writeFileAtomically(file: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.tmp`
  try {
    await syncedWrite(unfinished, content)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  // The rename itself has to reach the disk too; Windows does not open folders.
  if (process.platform !== 'win32') await syncFolder(path.dirname(file))
}

async function syncedWrite(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
