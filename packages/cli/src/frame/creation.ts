/** Guards of `set` and `import`: they create stages, and names that environments cannot have, only on request. */
import { RollkeyError, type Client } from '@rollkey/sdk'
import type { ListedVariable } from '@rollkey/sdk/core'
import { isEnvironmentName, refuse } from '../formats/refuse.ts'
import type { Context } from './context.ts'
import { exit, CliError, placesCommand } from './cli-error.ts'

/** Options of both commands. */
export interface CreationOptions {
  readonly create?: true
  readonly anyName?: true
}

export const creationOptions: readonly (readonly [flags: string, about: string])[] = [
  ['--create', 'create the project and the stage if they do not exist'],
  ['--any-name', 'allow names with characters other than letters, digits and _'],
]

/** What a stage has before a write. */
export interface Existing {
  readonly variables: ReadonlyMap<string, ListedVariable>
  readonly revision: number
}

/** Returns what the stage has, or the error that there is no such stage. */
export async function existingIn(client: Client): Promise<Existing | RollkeyError> {
  try {
    const { variables, revision } = await client.list()
    return { variables: new Map(variables.map((each) => [each.name, each])), revision }
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'STAGE_NOT_FOUND') return error
    throw error
  }
}

/** Throws STAGE_NOT_FOUND unless --create or the answer to the question allows a new stage. */
export async function confirmCreation(
  { out, prompt }: Context,
  missing: RollkeyError,
  question: string,
  { create, yes }: { readonly create?: true | undefined; readonly yes?: true | undefined },
): Promise<void> {
  if (create) return
  if (prompt.isPossible && !yes) {
    out.warn(missing.message)
    return prompt.confirm(question, '--create')
  }
  const { code, message, requestId } = missing
  throw new CliError(code, `${message} To create it, add --create.`, {
    status: exit.notFound,
    requestId,
    command: placesCommand(message),
  })
}

/** Throws INVALID_NAME for new names that are not valid for environment variables. */
export function refuseInvalidNames(names: readonly string[], existing: ReadonlyMap<string, ListedVariable>): void {
  const odd = names.filter((name) => !isEnvironmentName(name) && !existing.has(name))
  refuse('INVALID_NAME', odd, `${nameRule}; invalid`, anyNameCommand)
}

/** What to try after an invalid name. It repeats no argument: one may be a value. */
export const anyNameCommand = 'the same command with --any-name'

export const nameRule = 'A new name may contain only letters, digits and _, and may not begin with a digit'
