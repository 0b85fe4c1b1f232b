/** Variables that people see without a reveal, and what tables call them. */
import { isKind, isMoreExposed, kinds } from '@rollkey/contract/rules'
import { RollkeyError, type Client } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'

/** Returns the variables of the stage as the list has them; none if the caller may read it, but not the list. */
export async function listed(client: Client): Promise<readonly ListedVariable[]> {
  try {
    return (await client.list()).variables
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'FORBIDDEN') return []
    throw error
  }
}

/** Returns whether people see the values of a variable without a reveal. */
export function isExposed(variable: Pick<ListedVariable, 'exposure'> | undefined): boolean {
  return isMoreExposed(variable?.exposure)
}

/** Returns what a table calls a variable: a secret, a value that people see, or an A/B roll. */
export function kindText({ kind, exposure }: Pick<ListedVariable, 'kind' | 'exposure'>): string {
  if (kind === 'secret') return isMoreExposed(exposure) ? 'value' : 'secret'
  // A newer service may have kinds that this version does not know.
  return isKind(kind) ? kinds[kind].label : kind
}
