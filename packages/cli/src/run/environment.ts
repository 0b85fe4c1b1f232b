/** Builds the environment of the command of `rollkey run`. */
import { refuseOutsideEnvironment, skipInvalidNames, type Variables } from '../formats/refuse.ts'
import { refuseReserved } from '../formats/reserved.ts'

/** Credentials of this process, which the command does not inherit. A variable of the stage may have such a name. */
const credentialNames = ['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE', 'ROLLKEY_ID_TOKEN', 'ROLLKEY_ID_TOKEN_FILE']

/** Returns an environment without the credentials of this process. */
export function withoutCredentials(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(parent).filter(([name]) => !credentialNames.includes(name)))
}

export interface EnvironmentRules {
  /** Whether names that decide what code runs are allowed. */
  readonly allowsReserved: boolean
  /** Whether a name that is not valid for environment variables is an error. Otherwise it is skipped. */
  readonly isStrict: boolean
}

/**
 * Returns the environment of this process without its credentials, overridden by the variables. Throws for names and values
 * that an environment cannot hold.
 */
export function environmentOf(
  parent: NodeJS.ProcessEnv,
  variables: Variables,
  { allowsReserved, isStrict }: EnvironmentRules,
): { readonly environment: NodeJS.ProcessEnv; readonly skipped: readonly string[] } {
  const { kept, skipped } = isStrict ? { kept: variables, skipped: [] } : skipInvalidNames(variables)
  refuseOutsideEnvironment(kept)
  if (!allowsReserved) refuseReserved(kept, 'rollkey run --allow-reserved -- …')
  return { environment: { ...withoutCredentials(parent), ...kept }, skipped }
}

/** Counts variables that were added, removed or changed. */
export function countChanges(before: Variables, after: Variables): number {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).length
}
