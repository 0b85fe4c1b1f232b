/** Refuses variables that a format or the environment cannot represent. Never changes or omits them silently. */
import { isEnvironmentName } from '@rollkey/contract/rules'
import { exit, CliError, type CliErrorCode } from '../frame/cli-error.ts'

export { isEnvironmentName }

export type Variables = Readonly<Record<string, string>>

const maxListed = 10

/** Joins names for people, such as `a, b, c and 7 more`. */
export function joinNames(names: readonly string[]): string {
  const rest = names.length - maxListed
  const shown = names.slice(0, maxListed).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

/** Throws if there are names to refuse. `what` says what is wrong with them. */
export function refuse(code: CliErrorCode, names: readonly string[], what: string, command: string): void {
  if (names.length > 0) throw new CliError(code, `${what}: ${joinNames(names)}`, { status: exit.invalid, command })
}

/** The command for a format that can represent any name and any value. */
export const jsonCommand = 'rollkey pull --format json'

/** Refuses names and values that the environment of a process cannot hold. */
export function refuseOutsideEnvironment(variables: Variables): void {
  const { skipped } = skipInvalidNames(variables)
  refuse('INVALID_NAME', skipped, 'These names are not valid for environment variables', jsonCommand)
  const withNul = Object.keys(variables).filter((name) => variables[name]?.includes('\0'))
  refuse('INVALID_VALUE', withNul, 'An environment variable cannot contain the character NUL', jsonCommand)
}

/** Splits variables into those with valid names, by default for an environment, and the names of the others. */
export function skipInvalidNames(
  variables: Variables,
  isValid = isEnvironmentName,
): {
  readonly kept: Variables
  readonly skipped: readonly string[]
} {
  const skipped = Object.keys(variables).filter((name) => !isValid(name))
  if (skipped.length === 0) return { kept: variables, skipped }
  const kept = Object.entries(variables).filter(([name]) => isValid(name))
  return { kept: Object.fromEntries(kept), skipped }
}
