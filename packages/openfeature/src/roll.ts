import { InvalidContextError, type EvaluationContext } from '@openfeature/server-sdk'
import type { Roll } from '@rollkey/sdk'

function stringAttribute(context: EvaluationContext, attribute: 'targetingKey' | 'rollKey'): string | undefined {
  const value = context[attribute] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  // A value of another type cannot be a seed, and the roll would silently be random.
  throw new InvalidContextError(`${attribute} must be a string`)
}

/** Returns the seed and the key of an A/B roll. `key` is used if the context has no `rollKey`. */
export function rollOf(context: EvaluationContext, key: string | undefined): Roll {
  return { seed: stringAttribute(context, 'targetingKey'), key: stringAttribute(context, 'rollKey') ?? key }
}
