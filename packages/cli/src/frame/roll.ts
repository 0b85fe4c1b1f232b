/** Parts that the commands about rolls share. */
import { buffer } from 'node:stream/consumers'
import {
  RollkeyError,
  type Client,
  type Context as Attributes,
  type TargetingRule,
  type VariableUpdate,
} from '@rollkey/sdk'
import type { Context } from './context.ts'
import { usage } from './cli-error.ts'
import { expectNames } from './names.ts'
import { isProposal, proposeChange, type ProposalOptions } from './proposal.ts'
import { decodeUtf8 } from './utf8.ts'

/** Returns the result of a call. If the stage has no such variable, throws an error that names the nearest ones. */
export async function onRoll<T>(client: Client, name: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof RollkeyError && error.code === 'VARIABLE_NOT_FOUND')
      expectNames([name], (await client.list()).variables)
    throw error
  }
}

/** Changes a roll, or proposes that, and says so. */
export async function changeRoll(
  context: Context,
  name: string,
  change: Omit<VariableUpdate, 'name'>,
  { what, options }: { readonly what: string; readonly options: ProposalOptions },
): Promise<void> {
  const { out, where } = context
  const client = await context.stage()
  const updates = [{ name, ...change }]
  if (isProposal(options)) return onRoll(client, name, () => proposeChange(context, client, { updates }, options))
  const { revision } = await onRoll(client, name, () => client.update(updates))
  if (out.isJson) out.json({ name, revision })
  else out.note(`${what} in ${where} (revision ${revision}).`)
}

/** Returns the seeds of the arguments, or the lines of stdin for `-`, which keeps them out of the process list. */
export async function seedsOf({ stdin }: Context, args: readonly string[]): Promise<string[]> {
  if (args.length !== 1 || args[0] !== '-') return [...args]
  return decodeUtf8(await buffer(stdin), 'stdin', 'INVALID_REQUEST', 'rollkey roll pin --help')
    .split(/\r?\n/)
    .filter((line) => line !== '')
}

/** Returns a count such as "1 seed". */
export function seedsText(count: number): string {
  return `${count} ${count === 1 ? 'seed' : 'seeds'}`
}

/** Returns the conditions and the outcome of a rule, such as "plan in pro, team" and "A". */
export function ruleTexts({ when, then }: TargetingRule): [conditions: string, outcome: string] {
  const conditions = Object.entries(when).flatMap(([attribute, condition]) =>
    Object.entries(condition).map(([operator, operand]) => `${attribute} ${operator} ${[operand].flat().join(', ')}`),
  )
  return [conditions.join(' and '), typeof then === 'number' ? `A with probability ${then}` : then.toUpperCase()]
}

/** The option with attributes of the user. */
export const contextOption = [
  '--context <json>',
  'attributes of the user for targeting rules, as a JSON object',
] as const

/** Parses `--context`. */
export function contextOf(json: string | undefined): Attributes | undefined {
  if (json === undefined) return undefined
  let attributes: unknown
  try {
    attributes = JSON.parse(json)
  } catch {}
  if (typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes))
    return attributes as Attributes
  throw usage('--context is not a JSON object (expected one such as {"plan": "pro"})')
}
