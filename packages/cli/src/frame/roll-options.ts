/** The options that say who decides an A/B roll. */
import type { Context as Attributes } from '@rollkey/sdk'
import { usage } from './cli-error.ts'
import type { Option } from './command.ts'
import type { Output } from './output.ts'

export interface RollOptions {
  readonly seed?: string
  readonly key?: string
  readonly context?: string
}

/** Who decides the side of a roll. */
export interface Roll {
  readonly seed: string | undefined
  readonly key: string | undefined
  readonly context: Attributes | undefined
}

/** The option with attributes of the user. */
export const contextOption = [
  '--context <json>',
  'attributes of the user for targeting rules, as a JSON object',
] as const

/** The options of commands that read all values of a stage. */
export const rollOptions: readonly Option[] = [
  ['--seed <seed>', 'user of A/B rolls, such as a user id (default: each read may give the other side)'],
  ['--key <key>', 'experiment of A/B rolls; without --seed, it gives everyone the same side'],
  contextOption,
]

/** Throws USAGE. */
export function rollOf({ seed, key, context }: RollOptions): Roll {
  return { seed, key, context: contextOf(context) }
}

/** Warns of a key without a seed, with which a roll does not tell users apart. */
export function warnOfKeyAlone(out: Output, { seed, key }: Roll): void {
  if (key && !seed) out.warn('A key without a seed gives everyone the same side. Add --seed, such as a user id.')
}

/** Parses `--context`. */
function contextOf(json: string | undefined): Attributes | undefined {
  if (json === undefined) return undefined
  let attributes: unknown
  try {
    attributes = JSON.parse(json)
  } catch {}
  if (typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes))
    return attributes as Attributes
  throw usage('--context is not a JSON object (expected one such as {"plan": "pro"})')
}
