/** The option with attributes of the user, by which targeting rules decide. */
import type { Context as Attributes } from '@rollkey/sdk'
import { usage } from './cli-error.ts'

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
