/** The published decisions and buckets, as decisions of rolls whose pins are seeds. */
import buckets from '../../contract/vectors/ab-roll.json' with { type: 'json' }
import decisions from '../../contract/vectors/decisions.json' with { type: 'json' }
import type { Context, Side, TargetingRule } from '@rollkey/contract/rules'

export interface KnownDecision {
  readonly name: string
  readonly seed: string
  readonly key: string
  readonly context?: Context
  readonly chance: number
  readonly rules?: readonly TargetingRule[]
  readonly pins?: { readonly a?: readonly string[]; readonly b?: readonly string[] }
  readonly decision: Side
  readonly step: { readonly by: 'pin' | 'rule' | 'chance'; readonly rule?: number }
}

/** The bucket is exactly the published one if a chance of it gives b, and the next larger chance gives a. */
const aroundBuckets = buckets.vectors
  .filter(({ seed, key }) => seed !== '' || key !== '')
  .flatMap(({ u, name, seed, key }): KnownDecision[] => [
    { name, seed, key, chance: u, decision: 'b', step: { by: 'chance' } },
    { name, seed, key, chance: u + 2 ** -53, decision: 'a', step: { by: 'chance' } },
  ])

export const knownDecisions: readonly KnownDecision[] = [...(decisions.vectors as KnownDecision[]), ...aroundBuckets]
