/** The folder with this user's logins and trusted addresses. */
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { RollkeyError } from '../errors.ts'
import { withLock } from './lock.ts'
import type { Environment } from './environment.ts'

export function configFolder(env: Environment): string {
  const { ROLLKEY_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = env
  if (own) return path.resolve(own)
  if (process.platform === 'win32' && appData) return path.join(appData, 'rollkey')
  // A relative path counts as unset (XDG Base Directory Specification).
  return path.join(xdg && path.isAbsolute(xdg) ? xdg : path.join(homedir(), '.config'), 'rollkey')
}

/** Runs work under a lock of this name in the folder. Throws INVALID_SETTING if the folder is not writable. */
export async function withFolderLock<Result>(
  folder: string,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return await withLock(path.join(folder, `${name}.lock`), work)
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new RollkeyError(
      'INVALID_SETTING',
      `Logins cannot be stored in ${folder} (${code}). Make it writable, or set ROLLKEY_CONFIG_DIR to another folder.`,
      { cause: error },
    )
  }
}
