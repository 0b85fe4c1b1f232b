import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Writes a file whole or not at all, even if the power fails. Only its owner can read it (mode 0600). The content goes to
 * a temporary file of the same mode next to it, which then replaces the file.
 *
 * @throws The errors of the file system.
 * @example
 * await writeFileAtomically('.env', 'API_KEY=abc\n')
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
  // The rename must reach the disk too. Windows cannot open folders.
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
