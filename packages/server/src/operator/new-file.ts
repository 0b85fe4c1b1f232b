import { createWriteStream, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandError } from './command-error.ts'

/** Writes a new file that only its owner can read, and removes it if writing fails. Throws CommandError. */
export async function writeNewFile(file: string, text: Readable): Promise<void> {
  const to = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })
  try {
    await pipeline(text, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') rmSync(file, { force: true })
    throw code === undefined
      ? error
      : new CommandError(
          code === 'EEXIST' ? 'FILE_EXISTS' : 'NOT_WRITTEN',
          `${file} cannot be created (${code}): choose a new file in a writable folder.`,
        )
  }
}
