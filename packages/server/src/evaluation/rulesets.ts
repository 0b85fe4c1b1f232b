/**
 * Rulesets: what a program needs to decide by itself (docs/in-process.md). The ruleset of a stage is built once for each revision and
 * sealed in memory, like the bundle of a pull. Pins leave as salted hashes, because seeds identify users.
 */
import { hash, randomBytes } from 'node:crypto'
import { isMoreExposed, kinds, sides, valueFieldsOf, type Request } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import type { Meter } from '../metering/meter.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { describeEntry } from '../variables/list.ts'
import { openOrFail } from '../variables/opening.ts'
import { pinsOf } from '../variables/pins.ts'
import { openValue } from '../variables/values.ts'
import { assertNotRefused, charge } from './charge.ts'
import { answerBytesOf, reserve, type EvaluationRequest } from './evaluate.ts'
import { OpenedText } from './turn-memory.ts'

type Names = Request<'ruleset'>['names']

/** A ruleset as the text of an answer. */
export interface Ruleset {
  readonly salt: string
  /** The JSON text of the variables without the brackets, `{…},…`, in pieces. */
  readonly variables: readonly Buffer[]
  /** To be called at most once, when the texts are not read any more. */
  readonly release: () => void
}

/** A ruleset in memory. */
interface SealedRuleset {
  readonly salt: string
  readonly pieces: readonly Buffer[]
}

// Associated data that no stored variable can have, because names are not empty.
const [rulesetName, rulesetKind, rulesetRole] = ['', 'ruleset', 'ruleset']
/** Bytes of a salt, and of the hash of a pinned seed. */
const hashBytes = 16

export class Rulesets {
  readonly #meter: Meter
  readonly #log: Log
  /** Requests that arrive together share a build. */
  readonly #sealed = new WeakMap<Stage, Promise<SealedRuleset>>()

  constructor({ meter, log }: { meter: Meter; log: Log }) {
    this.#meter = meter
    this.#log = log
  }

  /** Returns the tag of a ruleset, which is weak, because two answers of the same revision differ in their requestId. */
  etagOf({ revision }: Stage, names: Names): string {
    const part = names && `-${hash('sha256', JSON.stringify(names.toSorted()), 'base64url').slice(0, 22)}`
    return `W/"${revision}${part ?? ''}"`
  }

  /** Returns the ruleset in one billing event. Throws ApiError or StaleRead. */
  async show(stage: Stage, names: Names, request: EvaluationRequest): Promise<Ruleset> {
    const variables = names ? variablesNamed(stage, names) : [...stage.variables.values()].filter(isInRuleset)
    await reserve(
      variables.reduce((sum, variable) => sum + answerBytesOf(variable), 0),
      request,
    )
    const ruleset = names
      ? await this.#build(stage, variables)
      : openRuleset(stage, await this.#sealedOnce(stage, variables))
    assertNotRefused(await charge(this.#meter, stage, request))
    return ruleset
  }

  #sealedOnce(stage: Stage, variables: readonly StoredVariable[]): Promise<SealedRuleset> {
    const known = this.#sealed.get(stage)
    if (known) return known
    const sealing = this.#seal(stage, variables)
    this.#sealed.set(stage, sealing)
    sealing.catch(() => this.#sealed.delete(stage))
    return sealing
  }

  async #seal(stage: Stage, variables: readonly StoredVariable[]): Promise<SealedRuleset> {
    const { salt, variables: pieces, release } = await this.#build(stage, variables)
    const sealed = pieces.map((text) => stage.sealer.seal(rulesetName, rulesetKind, rulesetRole, text))
    release()
    return { salt, pieces: sealed }
  }

  /** Builds a ruleset in slices between which others are served. Throws EVALUATION_FAILED. */
  async #build(stage: Stage, variables: readonly StoredVariable[]): Promise<Ruleset> {
    // The answers about a hidden stage and about one that does not exist must be equal.
    const salt = variables.length === 0 ? '' : randomBytes(hashBytes).toString('base64url')
    const slices = new TimeSlices()
    const pieces: Buffer[] = []
    let texts: string[] = []
    let characters = 0
    for (const [at, variable] of variables.entries()) {
      const text = openOrFail(stage, this.#log, () => JSON.stringify(ruleOf(stage, variable, salt)))
      texts.push(at === variables.length - 1 ? text : `${text},`)
      characters += text.length
      if (characters >= largeBytes || at === variables.length - 1) {
        pieces.push(Buffer.from(texts.join('')))
        texts = []
        characters = 0
      }
      if (slices.isOver) await slices.next()
    }
    return { salt, variables: pieces, release: () => pieces.forEach((piece) => piece.fill(0)) }
  }
}

function openRuleset({ sealer }: Stage, { salt, pieces }: SealedRuleset): Ruleset {
  const opened = pieces.map((sealed) => new OpenedText(sealer.open(rulesetName, rulesetKind, rulesetRole, sealed)))
  return { salt, variables: opened.map(({ bytes }) => bytes), release: () => opened.forEach((text) => text.release()) }
}

/** Returns whether a ruleset has the variable without naming it. A secret, also one that is rotated, leaves only if it is named. */
function isInRuleset({ kind, attributes }: StoredVariable): boolean {
  return (kinds[kind].isRolled && !attributes.rotating) || isMoreExposed(attributes.exposure)
}

/** Returns those of the variables that exist, in wire order. */
function variablesNamed({ variables }: Stage, names: readonly string[]): StoredVariable[] {
  const named = new Set(names)
  return [...variables.values()].filter(({ name }) => named.has(name))
}

/** Returns a variable as a ruleset has it. Throws CannotOpen. */
function ruleOf(stage: Stage, variable: StoredVariable, salt: string): object {
  const { kind, pinBytes } = variable
  const { description: _, ...entry } = describeEntry(variable)
  const values = kinds[kind].values.map((_value, index) => openValue(stage.sealer, variable, index).toString())
  return { ...entry, ...valueFieldsOf(kind, values), ...(pinBytes > 0 && pinHashesOf(stage, variable, salt)) }
}

/** Returns the hashes of the pins, whose order says nothing about the seeds; nothing if there are none. Throws CannotOpen. */
function pinHashesOf({ sealer }: Stage, variable: StoredVariable, salt: string): object {
  const pins = pinsOf(sealer, variable)
  if (sides.every((side) => pins[side].length === 0)) return {}
  const hashes = sides.map((side) => [side, pins[side].map((seed) => hashOfSeed(salt, seed)).toSorted()] as const)
  return { pins: Object.fromEntries(hashes) }
}

function hashOfSeed(salt: string, seed: string): string {
  return hash('sha256', salt + seed, 'hex').slice(0, 2 * hashBytes)
}
