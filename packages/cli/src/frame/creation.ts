/** What `set` and `import` create only when it is meant: stages, and names that environments cannot have. */
import { RollkeyError, type Client } from '@rollkey/sdk'
import { isEnvironmentName, refuse } from '../formats/refuse.ts'
import type { Context } from './context.ts'
import { exit, CliError } from './cli-error.ts'

/** Options of both commands. */
export interface CreationOptions {
  readonly create?: true
  readonly anyName?: true
}

export const creationOptions: readonly (readonly [flags: string, about: string])[] = [
  ['--create', 'create the project and the stage if they do not exist'],
  ['--any-name', 'allow names with other characters than letters, digits and _'],
]

/** The kinds of the variables by their names, or why there is no such stage. */
export async function kindsIn(client: Client): Promise<ReadonlyMap<string, string> | RollkeyError> {
  try {
    const { variables } = await client.list()
    return new Map(variables.map(({ name, kind }) => [name, kind]))
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'STAGE_NOT_FOUND') return error
    throw error
  }
}

/** Throws STAGE_NOT_FOUND unless a new stage is meant: by --create, or by the answer to the question. */
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
    command: 'rollkey config',
  })
}

/** Throws INVALID_NAME for names that no environment variable has, but for those that are there already. */
export function refuseOddNames(names: readonly string[], there: ReadonlyMap<string, string>, command: string): void {
  const odd = names.filter((name) => !isEnvironmentName(name) && !there.has(name))
  refuse('INVALID_NAME', odd, `${nameRule}; others are`, `rollkey ${command} --any-name`)
}

export const nameRule = 'A new name has letters, digits and _ only, and no digit first'
