/** What `rollkey import --address` reads. */
import type { Context } from '../frame/context.ts'
import { usage } from '../frame/cli-error.ts'
import type { ImportResult } from './entry.ts'
import { importUnleash } from './unleash/read.ts'
import { importVault } from './vault-address.ts'

export const programs = ['vault', 'unleash'] as const

/** Reads the variables of a program. Throws USAGE, INVALID_IMPORT, SOURCE_REFUSED, SOURCE_NOT_FOUND or UNREACHABLE. */
export function importAddress(
  context: Context,
  { from, address, path }: { from: string | undefined; address: string; path: string | undefined },
): Promise<ImportResult> {
  if (from === 'vault') return importVault(context, address, path)
  if (from !== 'unleash') throw usage(`--address needs --from (expected ${programs.join(' or ')})`)
  if (path !== undefined)
    throw usage('--path is only for --from vault (expected none: the token of Unleash names project and environment)')
  return importUnleash(context, address)
}
