import { nearest } from '@rollkey/sdk'
import { exit, CliError } from './cli-error.ts'

/** Throws VARIABLE_NOT_FOUND, with the nearest names, unless the stage has all of `names`. */
export function expectNames(names: readonly string[], variables: readonly { readonly name: string }[]): void {
  const known = variables.map(({ name }) => name)
  const missing = names.filter((name) => !known.includes(name))
  if (missing.length === 0) return
  const near = [...new Set(missing.flatMap((name) => nearest(name, known)))]
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''
  throw new CliError('VARIABLE_NOT_FOUND', `The stage has no variable ${missing.join(', ')}${hint}`, {
    status: exit.notFound,
    command: 'rollkey list',
  })
}
