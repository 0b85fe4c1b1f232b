import { InvalidContextError, type EvaluationContext } from '@openfeature/server-sdk'
import type { Roll } from '@rollkey/sdk'

function stringAttribute(context: EvaluationContext, attribute: 'targetingKey' | 'rollKey'): string | undefined {
  const value = context[attribute] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  // A value of another type cannot be a seed, and the roll would silently be random.
  throw new InvalidContextError(
    `${attribute} must be a string, not ${typeof value}: convert it, such as with String().`,
  )
}

/** Returns what a targeting rule can read of an attribute, or undefined. A date becomes its text in RFC 3339. */
function readable(value: unknown): string | number | boolean | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/**
 * Returns the seed, the key and the other attributes for an A/B roll. `key` is used if the context has no `rollKey`. What no rule can
 * read stays here.
 */
export function rollOf(context: EvaluationContext, key: string | undefined): Roll {
  const { targetingKey: _, rollKey: __, ...attributes } = context
  const read = Object.entries(attributes).flatMap(([name, value]) => {
    const found = readable(value)
    return found === undefined ? [] : [[name, found] as const]
  })
  return {
    seed: stringAttribute(context, 'targetingKey'),
    key: stringAttribute(context, 'rollKey') ?? key,
    ...(read.length > 0 && { context: Object.fromEntries(read) }),
  }
}

/** Returns whether a chance would be random for each evaluation, so that a user would change sides. */
export function isRandom({ seed = '', key = '' }: Roll): boolean {
  return seed === '' && key === ''
}
