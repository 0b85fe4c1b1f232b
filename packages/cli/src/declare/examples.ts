import { declarationsOfDocument } from '@rollkey/contract/rules'
import { joinNames, type Variables } from '../formats/refuse.ts'
import { CliError, exit, failureOf } from '../frame/cli-error.ts'
import type { Context } from '../frame/context.ts'
import { declarationsFile, readDocument } from './file.ts'

/** Returns whether a command failed because the person has no access to a service yet. */
export function isLoginNeeded(error: unknown): boolean {
  const { code } = failureOf(error, 'rollkey run --help')
  return code === 'LOGIN_NEEDED' || code === 'UNTRUSTED_URL'
}

/** Returns the examples of the declarations of the folder. Throws CliError. */
export function examplesOf(context: Pick<Context, 'cwd' | 'out'>): Variables {
  const read = declarationsOfDocument(readDocument(context, declarationsFile))
  if ('problem' in read)
    throw new CliError('INVALID_FILE', `${declarationsFile}: ${read.problem}`, { status: exit.invalid })
  const examples = read.declarations.flatMap(({ name, example }) =>
    typeof example === 'string' ? [[name, example] as const] : [],
  )
  const without = read.declarations.filter(({ example, required }) => typeof example !== 'string' && required === 'all')
  context.out.warn(`Not logged in: using the examples of ${declarationsFile}.`)
  if (without.length > 0) context.out.warn(`No example is declared for ${joinNames(without.map(({ name }) => name))}.`)
  return Object.fromEntries(examples)
}
