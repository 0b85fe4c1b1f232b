import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

const groupAndOthers = 0o077

/** Returns the names in the data directory that other users of the machine can access; a dot is the folder. */
export function namesOpenToOthers(dataDir: string): string[] {
  if (!existsSync(dataDir)) return []
  return ['.', ...readdirSync(dataDir)].filter((name) => {
    const mode = statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0
    return (mode & groupAndOthers) !== 0
  })
}

/** Creates the data directory, for its owner only. Throws an error with a message for the operator. */
export function createDataDirectory(dataDir: string): void {
  try {
    createMissing(path.resolve(dataDir))
    // The dot fails if it is a file.
    accessSync(`${dataDir}/.`, constants.R_OK | constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message = `The data directory ${dataDir} cannot be used (${code}): make it a folder that this user can write to.`
    throw new Error(message, { cause: error })
  }
}

/**
 * Creates the folders of a path, one after the other. Node's `recursive` option never returns where a folder cannot be
 * created, such as in /proc.
 */
function createMissing(folder: string): void {
  if (existsSync(folder)) return
  createMissing(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
