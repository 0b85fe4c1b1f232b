/** Flags of Unleash as rolls. One that a roll cannot decide alike is not imported, and its report says why. */
import { isOfDeclaredType, limits, problemOfRules, type DeclaredType } from '@rollkey/contract/rules'
import type { WriteEntry } from '@rollkey/sdk'
import type { Imported, Unmapped } from '../entry.ts'
import { percentText } from '../../frame/chance.ts'
import { countText } from '../../frame/words.ts'
import { decisionOf, type RollDecision, type Strategy } from './strategies.ts'

/** A variant in the answer of Unleash. */
interface Variant {
  readonly name: string
  readonly weight: number
  readonly stickiness?: string
  readonly payload?: { readonly type: string; readonly value: string }
  readonly overrides?: readonly unknown[]
}

/** A flag in the answer of Unleash to its SDKs. */
export interface Flag {
  readonly name: string
  readonly enabled: boolean
  readonly description?: string | null
  readonly stale?: boolean
  readonly strategies: readonly Strategy[]
  readonly variants?: readonly Variant[]
  readonly dependencies?: readonly { readonly feature: string }[]
}

/** The values of a roll and their names. */
type Sides = Pick<Extract<WriteEntry, { kind: 'ab_roll' }>, 'valueA' | 'valueB' | 'declaredType' | 'labels'>

const onOff: Sides = { valueA: 'true', valueB: 'false', declaredType: 'boolean', labels: { a: 'on', b: 'off' } }

/** Declared types of payloads. */
const payloadTypes: ReadonlyMap<string, DeclaredType> = new Map([
  ['string', 'string'],
  ['csv', 'string'],
  ['json', 'json'],
  ['number', 'float'],
])

/** Returns the roll of a flag, or why there is none. */
export function mapFlag(flag: Flag): Imported | Unmapped {
  const { name, dependencies = [], enabled, strategies } = flag
  const variants = [flag.variants ?? [], ...strategies.map((each) => each.variants ?? [])].filter(
    ({ length }) => length > 0,
  )
  const parents = enabled ? dependencies.map(({ feature }) => `depends on ${feature}`) : []
  const decision = enabled ? decisionOf(name, strategies) : off
  const reasons = [...parents, ...('rules' in decision ? [] : decision)]
  if (!('rules' in decision) || reasons.length > 0) return { name, reasons }
  const problem = problemOfRules(decision.rules)
  if (problem) return { name, reasons: [`its rules: ${problem.path.join('.')} ${problem.message}`] }
  if (variants.length === 0) return rollOf(flag, onOff, decision)
  const drawn = variants.length === 1 ? variantsOf(variants[0] as readonly Variant[]) : undefined
  const isForAll = enabled && decision.chance === 1 && strategies.length < 2
  if (drawn && isForAll) return rollOf(flag, drawn.sides, drawn)
  return { name, reasons: ['variants, except two with payloads of one type that all users get'] }
}

const off: RollDecision = { chance: 0, rules: [] }

/** Returns the roll between two variants, or undefined for others. */
function variantsOf(variants: readonly Variant[]): (RollDecision & { readonly sides: Sides }) | undefined {
  const [one, other, ...more] = variants
  if (!one?.payload || !other?.payload || more.length > 0) return undefined
  const total = one.weight + other.weight
  const declaredType = payloadTypes.get(one.payload.type)
  if (declaredType === undefined || one.payload.type !== other.payload.type || !(total > 0)) return undefined
  const isAlike = variants.every(
    ({ name, overrides = [], payload }) =>
      overrides.length === 0 &&
      name.length <= limits.labelCharacters &&
      isOfDeclaredType(declaredType, payload?.value ?? ''),
  )
  if (!isAlike) return undefined
  const sides = {
    valueA: one.payload.value,
    valueB: other.payload.value,
    declaredType,
    labels: { a: one.name, b: other.name },
  }
  return { chance: one.weight / total, rules: [], stickiness: one.stickiness ?? 'default', sides }
}

/** What a program passes as the seed, where that is not the field that draws a user. */
const seedTexts = new Map([
  ['default', 'seed: userId or sessionId'],
  ['random', 'without a seed and a key'],
])

function rollOf({ name, enabled, stale, description }: Flag, sides: Sides, decision: RollDecision): Imported {
  const { chance, rules, stickiness } = decision
  const isTooLong = (description?.length ?? 0) > limits.descriptionCharacters
  const details = [
    percentText(chance),
    ...(stickiness === undefined ? [] : [seedTexts.get(stickiness) ?? `seed: ${stickiness}`]),
    ...(rules.length > 0 ? [countText(rules.length, 'rule')] : []),
    ...(enabled ? [] : ['off: without its strategies']),
    ...(stale ? ['stale'] : []),
    ...(isTooLong ? ['without its description, which is too long'] : []),
  ]
  const entry: WriteEntry = {
    kind: 'ab_roll',
    name,
    ...sides,
    chance,
    rules: rules.length > 0 ? rules : null,
    exposure: 'plain',
    ...(description && !isTooLong ? { description } : {}),
  }
  return { entry, details: details.join(', ') }
}
