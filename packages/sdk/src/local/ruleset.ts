/** A ruleset in memory: decides as the service does, by the same rules, and counts what it decided. */
import {
  decisionFields,
  isKind,
  isRandom,
  kinds,
  limits,
  sides,
  valuesOf,
  type Choice,
  type Decision,
  type Side,
  type Value,
} from '@rollkey/contract/rules'
import { RollkeyError } from '../errors.ts'
import { inspectionOf } from '../inspection.ts'
import { nearest } from '../nearest.ts'
import { quoted } from '../stage-ref.ts'
import type { Inspection, Roll } from '../types.ts'
import type { Answer, EvaluatedVariable, Request } from '../wire.ts'
import { Buckets } from './buckets.ts'
import { hashOfPin, hashText, type HashText } from './sha256.ts'

type RulesetVariable = Answer<'ruleset'>['variables'][number]
/** Equal decisions with their number, as a report has them. */
export type ReportedDecisions = Request<'report'>['decisions'][number]

/** The steps without a number of a rule, in the order of their counters. */
const steps = ['pin', 'chance'] as const
const countersOfSteps = steps.length * sides.length

/** A variable of the ruleset, with the counters of its decisions. */
class LocalVariable {
  readonly #rule: RulesetVariable
  readonly #buckets: Buckets
  readonly #texts: readonly string[]
  readonly #values: (Value | undefined)[] = []
  /** Sides by the hashes of seeds. Undefined: no seed is pinned. */
  readonly #pins: ReadonlyMap<string, Side> | undefined
  /** Decisions since the last report: by step and side, then by rule and side; of another variable than a roll, only the first. */
  #counts: number[] | undefined

  constructor(rule: RulesetVariable, hash: HashText) {
    this.#rule = rule
    this.#buckets = new Buckets(rule.name, hash)
    this.#texts = valuesOf(rule)
    if (rule.kind === 'ab_roll' && rule.pins) this.#pins = sidesByHash(rule.pins)
  }

  /** `hashOfSeed` is called only if seeds are pinned. Throws INVALID_REQUEST. */
  choose(roll: Roll, hashOfSeed: (seed: string) => string): Choice {
    const { seed = '', key = '', context } = roll
    assertText('seed', seed)
    assertText('key', key)
    const rule = this.#rule
    const buckets = this.#buckets
    const pinned = seed === '' ? undefined : this.#pins?.get(hashOfSeed(seed))
    const unit = (): number => (isRandom(roll) ? Math.random() : buckets.unitOf(seed, key))
    return kinds[rule.kind].choose(rule, { pinned, context, unit })
  }

  /** Throws INVALID_ANSWER. */
  inspect(choice: Choice, source: Inspection['source']): Inspection {
    const rule = this.#rule
    const { name, kind, declaredType } = rule
    const evaluated: EvaluatedVariable = {
      name,
      kind,
      value: this.#texts[choice.index] ?? '',
      ...(declaredType && { declaredType }),
      ...(choice.decision && {
        decision: choice.decision,
        ...decisionFields(choice as Decision, rule.kind === 'ab_roll' ? rule : {}),
      }),
    }
    return inspectionOf({ evaluated, source })
  }

  /** Returns the value. Objects are parsed again, so that no caller can change what another one gets. Throws INVALID_ANSWER. */
  valueOf(choice: Choice): Value {
    const known = this.#values[choice.index]
    if (known !== undefined) return known
    const { value } = this.inspect(choice, 'local')
    if (typeof value !== 'object') this.#values[choice.index] = value
    return value
  }

  count({ decision, step }: Choice): void {
    const at =
      !decision || !step
        ? 0
        : (step.by === 'rule' ? countersOfSteps + 2 * ((step.rule ?? 1) - 1) : 2 * steps.indexOf(step.by)) +
          (decision === 'a' ? 0 : 1)
    this.#counts ??= Array.from({ length: counterCount(this.#rule) }, () => 0)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  /** Returns the counts since the last call, and begins again. */
  takeCounts(): ReportedDecisions[] {
    const counts = this.#counts ?? []
    this.#counts = undefined
    return counts.flatMap((count, at) => (count > 0 ? [this.#rowOf(at, count)] : []))
  }

  #rowOf(at: number, count: number): ReportedDecisions {
    const rule = this.#rule
    const { name } = rule
    if (rule.kind === 'secret') return { name, count }
    const decision = at % 2 === 0 ? 'a' : 'b'
    if (at >= countersOfSteps)
      return { name, decision, step: 'rule', rule: 1 + Math.floor((at - countersOfSteps) / 2), count }
    return at < 2
      ? { name, decision, step: 'pin', count }
      : { name, decision, step: 'chance', chance: rule.chance, count }
  }
}

function counterCount(rule: RulesetVariable): number {
  return rule.kind === 'secret' ? 1 : countersOfSteps + 2 * (rule.rules?.length ?? 0)
}

function sidesByHash(pins: { readonly a: readonly string[]; readonly b: readonly string[] }): Map<string, Side> {
  return new Map(sides.flatMap((side) => pins[side].map((hash) => [hash, side] as const)))
}

export class LocalRuleset {
  readonly revision: number
  readonly #variables: ReadonlyMap<string, LocalVariable>
  readonly #hashOfSeed: (seed: string) => string

  /** `hash` is by default the fastest of the runtime. */
  constructor({ revision, salt, variables }: Answer<'ruleset'>, hash: HashText = hashText) {
    this.revision = revision
    this.#hashOfSeed = (seed) => hashOfPin(salt, seed, hash)
    // What this version does not know, a newer service decides.
    const known = variables.filter(({ kind }) => isKind(kind))
    this.#variables = new Map(known.map((rule) => [rule.name, new LocalVariable(rule, hash)]))
  }

  /** Returns a value and counts the decision. Throws NOT_LOCAL, INVALID_REQUEST or INVALID_ANSWER. */
  get(name: string, roll: Roll): Value {
    const variable = this.#find(name)
    const choice = variable.choose(roll, this.#hashOfSeed)
    const value = variable.valueOf(choice)
    variable.count(choice)
    return value
  }

  /** Returns a value with what decided, and counts the decision. Throws NOT_LOCAL, INVALID_REQUEST or INVALID_ANSWER. */
  inspect(name: string, roll: Roll, source: Inspection['source']): Inspection {
    const variable = this.#find(name)
    const choice = variable.choose(roll, this.#hashOfSeed)
    const inspection = variable.inspect(choice, source)
    variable.count(choice)
    return inspection
  }

  /** Returns the decisions since the last call. */
  takeCounts(): ReportedDecisions[] {
    return [...this.#variables.values()].flatMap((variable) => variable.takeCounts())
  }

  #find(name: string): LocalVariable {
    return this.#variables.get(name) ?? throwNotLocal(name, [...this.#variables.keys()])
  }
}

function throwNotLocal(name: string, known: readonly string[]): never {
  const near = nearest(name, known)
  const hint = near.length > 0 ? ` Did you mean ${quoted(near)}?` : ''
  throw new RollkeyError(
    'NOT_LOCAL',
    `${JSON.stringify(name)} is not in the ruleset: it is a secret, or the stage has no such variable. Use get of the client, or name it in \`names\`.${hint}`,
  )
}

/** Throws INVALID_REQUEST for a text that the service would refuse. */
function assertText(field: 'seed' | 'key', text: string): void {
  if (typeof text !== 'string' || !text.isWellFormed())
    throw new RollkeyError('INVALID_REQUEST', `${field} must be well-formed Unicode text: correct it.`)
  if (text.length * 3 <= limits.seedBytes || new TextEncoder().encode(text).length <= limits.seedBytes) return
  throw new RollkeyError('INVALID_REQUEST', `${field} must be at most ${limits.seedBytes} bytes of UTF-8: shorten it.`)
}
