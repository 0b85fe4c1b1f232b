import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'

/** Options of `writeFileAtomically`. */
export interface WriteFileOptions {
  /** Mode of the file, less the bits of the umask. By default only its owner can read it. @default 0o600 */
  readonly mode?: number
}

/**
 * Writes a file whole or not at all, even if the power fails. The content goes to a temporary file of the same mode next to
 * it, which then replaces the file.
 *
 * @throws The errors of the file system.
 * @example
 * await writeFileAtomically('.env', 'API_KEY=abc\n')
 */
export async function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600 }: WriteFileOptions = {},
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.tmp`
  try {
    await writeSynced(unfinished, content, mode)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  // The rename must reach the disk too. Windows cannot open folders.
  if (process.platform !== 'win32') await syncFolder(path.dirname(file))
}

async function writeSynced(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
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
