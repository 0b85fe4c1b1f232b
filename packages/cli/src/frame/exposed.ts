/** Variables that people see without a reveal. */
import { isMoreExposed } from '@rollkey/contract/rules'
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
