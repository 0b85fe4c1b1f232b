/** What a format or the environment cannot carry is refused as a whole, with its names: never changed, never left out. */
import { exit, CliError } from '../frame/cli-error.ts'

/** A name that every shell and every process can have in its environment (POSIX.1-2024, 8.1). */
const environmentName = /^[A-Za-z_][A-Za-z0-9_]*$/

export function isEnvironmentName(name: string): boolean {
  return environmentName.test(name)
}

export type Variables = Readonly<Record<string, string>>

const maxListed = 10

/** `a, b, c and 7 more`. */
export function listed(names: readonly string[]): string {
  const rest = names.length - maxListed
  const shown = names.slice(0, maxListed).join(', ')
  return rest > 0 ? `${shown} and ${rest} more` : shown
}

/** Throws if there are names to refuse; `what` is said of them. */
export function refuse(code: string, names: readonly string[], what: string, command: string): void {
  if (names.length > 0) throw new CliError(code, `${what}: ${listed(names)}`, { status: exit.invalid, command })
}

/** The format that carries any name and any value. */
export const instead = 'rollkey pull --format json'

/** Refuses what no environment of a process can hold, whoever sets it. */
export function refuseOutsideEnvironment(variables: Variables): void {
  const { skipped } = skipInvalidNames(variables)
  refuse('INVALID_NAME', skipped, 'An environment variable cannot have such a name', instead)
  const withNul = Object.keys(variables).filter((name) => variables[name]?.includes('\0'))
  refuse('INVALID_VALUE', withNul, 'An environment variable cannot hold the character NUL', instead)
}

/** What an environment can hold by its name, and the other names. */
export function skipInvalidNames(variables: Variables): {
  readonly kept: Variables
  readonly skipped: readonly string[]
} {
  const skipped = Object.keys(variables).filter((name) => !isEnvironmentName(name))
  if (skipped.length === 0) return { kept: variables, skipped }
  const kept = Object.entries(variables).filter(([name]) => isEnvironmentName(name))
  return { kept: Object.fromEntries(kept), skipped }
}
