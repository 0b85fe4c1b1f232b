/** Which users would get which side: the decision of the service, computed here for sample users. */
import {
  bucketText,
  type Context,
  decide,
  type PinCounts,
  type ServedCounts,
  type TargetingRule,
  unitOfHash,
} from '@rollkey/contract/rules'
import { sha256 } from '@noble/hashes/sha2.js'
import { labels } from './labels.ts'

const { preview: words } = labels

/** Number of sample users. */
export const sampleUsers = 1_000

/**
 * Returns 0 <= u < 1, the same for the same name, seed and key everywhere (docs/api.md). It needs a library, because browsers
 * have a SHA-256 only in secure contexts, and a service in a private network may run without https.
 */
export function unitOf(name: string, seed: string, key: string): number {
  const hash = sha256(new TextEncoder().encode(bucketText(name, seed, key)))
  const view = new DataView(hash.buffer, hash.byteOffset)
  return unitOfHash(view.getUint32(0), view.getUint32(4))
}

/** Returns the buckets of the sample users, which are always the same ones. */
export function sampleUnits(name: string): readonly number[] {
  return Array.from({ length: sampleUsers }, (_, user) => unitOf(name, `sample-${user + 1}`, ''))
}

/** How a roll decides. */
export interface Deciding {
  readonly chance: number
  readonly rules?: readonly TargetingRule[] | undefined
  readonly pinned?: PinCounts | undefined
}

/** How many users a step decides. */
export interface PreviewStep extends Pick<ServedCounts, 'a' | 'b'> {
  readonly by: 'pin' | 'rule' | 'chance'
  /** Number of the rule, from 1. Absent: no rule. */
  readonly rule?: number
}

export interface Preview {
  /** The steps in the order of the decision, also those that decide no one. */
  readonly steps: readonly PreviewStep[]
  /** Number of sample users and pinned seeds that get A. */
  readonly a: number
  /** Number of sample users without any attribute that a rule reads. */
  readonly withoutAttributes: number
}

/** Returns who decides what for the sample users, who have the contexts in turn, and for the pinned seeds. */
export function previewOf(
  { chance, rules = [], pinned = { a: 0, b: 0 } }: Deciding,
  contexts: readonly Context[],
  units: readonly number[],
): Preview {
  const byRule = rules.map((_, at) => ({ by: 'rule' as const, rule: at + 1, a: 0, b: 0 }))
  const byChance = { by: 'chance' as const, a: 0, b: 0 }
  const read = new Set(rules.flatMap(({ when }) => Object.keys(when)))
  let withoutAttributes = 0
  for (const [user, unit] of units.entries()) {
    const context = contexts[user % contexts.length]
    const { decision, step } = decide({ chance, rules }, { context, unit: () => unit })
    const counts = step.rule === undefined ? byChance : (byRule[step.rule - 1] ?? byChance)
    counts[decision]++
    if (!context || !Object.keys(context).some((attribute) => read.has(attribute))) withoutAttributes++
  }
  const steps = [...(pinned.a + pinned.b > 0 ? [{ by: 'pin' as const, ...pinned }] : []), ...byRule, byChance]
  return { steps, a: steps.reduce((sum, { a }) => sum + a, 0), withoutAttributes }
}

interface ReadContexts {
  readonly contexts: readonly Context[]
  /** Absent: all lines can be read. */
  readonly problem?: string
}

/** Reads a JSON object; undefined if it is none. */
export function contextOf(json: string): Context | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Context) : undefined
  } catch {
    return undefined
  }
}

/** Reads contexts, one JSON object a line. */
export function contextsOf(source: string): ReadContexts {
  const lines = source.split('\n').map((line, at) => ({ line: line.trim(), number: at + 1 }))
  const contexts: Context[] = []
  for (const { line, number } of lines) {
    if (line === '') continue
    const context = contextOf(line)
    if (!context) return { contexts, problem: words.badLine(number) }
    contexts.push(context)
  }
  return contexts.length > sampleUsers ? { contexts: [], problem: words.tooMany(sampleUsers) } : { contexts }
}

/** What a person enters to try a roll. Empty: nothing. */
export interface TryInput {
  readonly seed: string
  readonly key: string
  /** JSON. */
  readonly context: string
}

export const noTryInput: TryInput = { seed: '', key: '', context: '' }

/** Returns for whom the roll decides then. */
export function askedOf({ seed, key, context: json }: TryInput) {
  const context = contextOf(json)
  return { ...(seed !== '' && { seed }), ...(key !== '' && { key }), ...(context && { context }) }
}
