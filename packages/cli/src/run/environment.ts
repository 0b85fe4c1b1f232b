/** The environment that `rollkey run` gives to its command. */
import { refuseOutsideEnvironment, skipInvalidNames, type Variables } from '../formats/refuse.ts'
import { refuseReserved } from '../formats/reserved.ts'

/** Our own credentials, for nobody but us. A variable of the stage that has such a name is the command's own. */
const withheld = ['ROLLKEY_TOKEN', 'ROLLKEY_TOKEN_FILE']

export interface EnvironmentRules {
  /** Whether names that decide what code runs may be there. */
  readonly allowsReserved: boolean
  /** Whether a name that no environment has is an error; else it is left out. */
  readonly isStrict: boolean
}

/** What this process has, without our credentials, and the variables, which win. Throws what the environment cannot hold. */
export function environmentOf(
  parent: NodeJS.ProcessEnv,
  variables: Variables,
  { allowsReserved, isStrict }: EnvironmentRules,
): { readonly environment: NodeJS.ProcessEnv; readonly skipped: readonly string[] } {
  const { kept, skipped } = isStrict ? { kept: variables, skipped: [] } : skipInvalidNames(variables)
  refuseOutsideEnvironment(kept)
  if (!allowsReserved) refuseReserved(kept, 'rollkey run --allow-reserved -- …')
  const inherited = Object.entries(parent).filter(([name]) => !withheld.includes(name))
  return { environment: { ...Object.fromEntries(inherited), ...kept }, skipped }
}

/** How many variables are new, gone or of another value. */
export function countChanges(before: Variables, after: Variables): number {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).length
}
