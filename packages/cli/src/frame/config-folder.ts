import path from 'node:path'
import { openCredentials } from '@rollkey/sdk/node'
import type { Context } from './context.ts'

/** Returns the folder of this user's logins and other files of the command line. Undefined without a home, as in some containers. */
export function configFolderOf({ env }: Context): string | undefined {
  try {
    return path.dirname(openCredentials({ env }).file)
  } catch {
    return undefined
  }
}
