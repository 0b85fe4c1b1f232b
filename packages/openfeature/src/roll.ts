import { InvalidContextError, type EvaluationContext } from '@openfeature/server-sdk'
import type { Roll } from '@rollkey/sdk'

function textOf(context: EvaluationContext, attribute: 'targetingKey' | 'rollKey'): string | undefined {
  const value = context[attribute] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  // Another type would be no seed, and the roll random without anybody noticing.
  throw new InvalidContextError(`${attribute} must be a string`)
}

/** Whom and what an A/B roll is for; `key` where the context does not say it. */
export function rollOf(context: EvaluationContext, key: string | undefined): Roll {
  return { seed: textOf(context, 'targetingKey'), key: textOf(context, 'rollKey') ?? key }
}
