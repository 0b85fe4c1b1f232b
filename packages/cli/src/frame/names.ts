import { nearest, RollkeyError, type Client } from '@rollkey/sdk'
import { exit, CliError } from './cli-error.ts'

const conjunction = new Intl.ListFormat('en', { type: 'conjunction' })

/** Throws VARIABLE_NOT_FOUND, with the nearest names, unless the stage has all of `names`. */
export function expectNames(names: readonly string[], variables: readonly { readonly name: string }[]): void {
  const known = variables.map(({ name }) => name)
  const missing = names.filter((name) => !known.includes(name))
  if (missing.length === 0) return
  const near = [...new Set(missing.flatMap((name) => nearest(name, known)))]
  const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : ''
  const noun = missing.length === 1 ? 'variable' : 'variables'
  throw new CliError('VARIABLE_NOT_FOUND', `The stage has no ${noun} ${conjunction.format(missing)}${hint}`, {
    status: exit.notFound,
    command: 'rollkey list',
  })
}

/** Returns which of the names that exist a wrong one may have meant, as a sentence, or all if they are at most 10. */
export function hintOf(name: string, among: readonly string[]): string {
  const near = nearest(name, among)
  const isShort = among.length > 0 && among.length <= 10
  return near.length > 0 ? ` Did you mean ${quoted(near)}?` : isShort ? ` It has ${quoted(among)}.` : ''
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}

/** Returns the result of a call. If there is no such variable or stage, throws an error that names the nearest ones. */
export async function onVariable<T>(client: Client, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof RollkeyError && ['VARIABLE_NOT_FOUND', 'NOT_FOUND'].includes(error.code))
      expectNames([name], (await client.list()).variables)
    throw error
  }
}
