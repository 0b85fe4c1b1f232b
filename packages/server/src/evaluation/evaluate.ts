/** Evaluation: find → check → choose → open → charge → answer, of one variable, a batch, or a whole stage (a pull). */
import { decisionFields, limits, type Choice, type DeclaredType, type EvaluatedVariable } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import { ApiError } from '../base/api-error.ts'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import type { Log } from '../base/log.ts'
import type { ChargeResult, Meter, UsageEvent } from '../metering/meter.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { loggingFailures, openOrFail, undefinedIfCannotOpen, type OnFailure } from '../variables/opening.ts'
import type { LastEvaluations } from './last-evaluations.ts'
import { openEachOnce, openOne, openSome, type OpenValue } from './open-values.ts'
import type { RollCounts, ServedVariable } from './roll-counts.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import { buildInSlices, openAll, type ChosenVariable, type OpenedPiece } from './bundle.ts'
import { assertNotRefused, charge } from './charge.ts'
import { choose, chooseStably, type Dice, type RollRequest } from './choose.ts'
import { buildPinIndex, buildPinIndexes, needsPinIndex, pinnedSideOf } from './pin-index.ts'

export interface EvaluationEntry extends RollRequest {
  readonly name: string
  readonly declaredType?: DeclaredType | undefined
  /** Whether the result tells what decided a roll. */
  readonly explain?: boolean | undefined
}

export interface PullResult {
  /** The JSON text of the variables without the braces, `"NAME":"value",…`, in pieces. */
  readonly members: readonly Buffer[]
  readonly revision: number
  /** To be called at most once, when the members are not read any more. */
  readonly release: () => void
}

/** A variable as a flag: an evaluation of it that is the same for each equal request. */
export interface Flag {
  readonly variable: StoredVariable
  /** Undefined if it depends on a seed and key, of which the request has neither. */
  readonly choice: Choice | undefined
  /** Undefined without a choice, or if the value does not open. */
  readonly value: string | undefined
}

/** What is asked about one flag. */
export interface FlagRequest {
  readonly name: string
  readonly roll: RollRequest
  /** Whether a variable exists for the caller. */
  readonly isVisible: (variable: StoredVariable) => boolean
}

/** A flag that was evaluated. */
export type EvaluatedFlag = Flag & { readonly choice: Choice; readonly value: string }

/** The refusal of an evaluation that would be random, where each equal request gets the same answer. */
export class SeedRequired extends ApiError {
  constructor(name: string) {
    super('INVALID_REQUEST', `The roll ${JSON.stringify(name)} needs a seed or a key: send one.`)
  }
}

/** The parts of a request that an evaluation uses. */
export interface EvaluationRequest {
  readonly usage: UsageEvent
  readonly reads: ReadSet
  /**
   * Reserves memory for an answer whose values have this many stored bytes. Returns a promise if the answer must wait for its
   * turn. Throws RATE_LIMITED.
   */
  reserve(bytes: number): Promise<void> | undefined
}

export class Evaluation {
  readonly #stages: Stages
  readonly #meter: Meter
  readonly #rollCounts: RollCounts
  readonly #lastEvaluations: LastEvaluations
  readonly #dice: Dice
  readonly #log: Log

  constructor(parts: {
    stages: Stages
    meter: Meter
    rollCounts: RollCounts
    lastEvaluations: LastEvaluations
    dice: Dice
    log: Log
  }) {
    this.#stages = parts.stages
    this.#meter = parts.meter
    this.#rollCounts = parts.rollCounts
    this.#lastEvaluations = parts.lastEvaluations
    this.#dice = parts.dice
    this.#log = parts.log
  }

  /** Returns the result of one variable. Throws ApiError or StaleRead. */
  async evaluate(stageRef: StageRef, entry: EvaluationEntry, request: EvaluationRequest): Promise<EvaluatedVariable> {
    // An await of what is there already would cost a promise and a turn of the queue.
    const found = this.#stages.find(stageRef, request.reads)
    const stage = found instanceof Promise ? await found : found
    const variable = stage.variables.get(entry.name) ?? throwNotFound(entry.name)
    assertDeclaredType(variable, entry.declaredType)
    const turn = reserve(answerBytesOf(variable), request)
    if (turn) await turn
    if (needsPinIndex(variable)) await buildPinIndexes(stage, [variable], this.#log)
    const chosen = { variable, choice: this.#choose(variable, entry) }
    const result = evaluatedOf(chosen, this.#openOne(stage, chosen), entry)
    this.#count(stage, await charge(this.#meter, stage, request), [chosen])
    return result
  }

  /** Returns the results in the order of `entries`, all or none. Throws ApiError or StaleRead. */
  async evaluateBatch(
    stageRef: StageRef,
    entries: readonly EvaluationEntry[],
    request: EvaluationRequest,
  ): Promise<EvaluatedVariable[]> {
    return this.evaluateIn(await this.#stages.find(stageRef, request.reads), entries, request)
  }

  /** Does what `evaluateBatch` does, of a stage that the request has found. */
  async evaluateIn(
    stage: Stage,
    entries: readonly EvaluationEntry[],
    request: EvaluationRequest,
  ): Promise<EvaluatedVariable[]> {
    const variables = entries.map(({ name }) => stage.variables.get(name) ?? throwNotFound(name))
    variables.forEach((variable, index) => assertDeclaredType(variable, entries[index]?.declaredType))
    const bytes = variables.reduce((sum, variable) => sum + answerBytesOf(variable), 0)
    await reserve(bytes, request)
    if (variables.some(needsPinIndex)) await buildPinIndexes(stage, variables, this.#log)
    const chosen = variables.map((variable, index) => ({
      variable,
      choice: this.#choose(variable, entries[index] as EvaluationEntry),
    }))
    const results =
      bytes > largeBytes ? await this.#openInSlices(stage, chosen, entries) : this.#open(stage, chosen, entries)
    this.#count(stage, await charge(this.#meter, stage, request), chosen)
    return results
  }

  /** Returns all variables of a stage. Throws ApiError or StaleRead. */
  async pull(stageRef: StageRef, roll: RollRequest, request: EvaluationRequest): Promise<PullResult> {
    return this.pullFrom(await this.#stages.find(stageRef, request.reads), roll, request)
  }

  /** Does what `pull` does, of a stage that the request has found. */
  async pullFrom(stage: Stage, roll: RollRequest, request: EvaluationRequest): Promise<PullResult> {
    await reserve(stage.bytes, request)
    if (stage.pinEntries > 0) await buildPinIndexes(stage, stage.variables.values(), this.#log)
    const pieces = await this.#openAll(stage, roll)
    const rolls = pieces.flatMap(({ chosen }) => chosen)
    this.#count(stage, await charge(this.#meter, stage, request), rolls, true)
    return {
      members: pieces.flatMap(({ texts }) => texts),
      revision: stage.revision,
      release: () => pieces.forEach((piece) => piece.release()),
    }
  }

  /** Returns one flag as `render` makes it, before it is charged. Throws SeedRequired, another ApiError or StaleRead. */
  async evaluateFlag<Rendered>(
    stageRef: StageRef,
    { name, roll, isVisible }: FlagRequest,
    request: EvaluationRequest,
    render: (flag: EvaluatedFlag) => Rendered,
  ): Promise<Rendered> {
    const stage = await this.#stages.find(stageRef, request.reads)
    const found = stage.variables.get(name)
    const variable = found && isVisible(found) ? found : throwNotFound(name)
    if (needsPinIndex(variable)) await buildPinIndexes(stage, [variable], this.#log)
    const choice = chooseStably(variable, roll, this.#dice, pinnedSideOf(variable, roll.seed))
    if (!choice) throw new SeedRequired(name)
    await reserve(answerBytesOf(variable), request)
    const value = this.#openOne(stage, { variable, choice })
    const rendered = render({ variable, choice, value })
    this.#count(stage, await charge(this.#meter, stage, request), [{ variable, choice }])
    return rendered
  }

  /** Returns the flags of variables of the stage, in one billing event. Throws ApiError or StaleRead. */
  async evaluateFlags(
    stage: Stage,
    variables: readonly StoredVariable[],
    roll: RollRequest,
    request: EvaluationRequest,
  ): Promise<Flag[]> {
    const bytes = variables.reduce((sum, variable) => sum + answerBytesOf(variable), 0)
    await reserve(bytes, request)
    const flags = await loggingFailures(stage, this.#log, (onFailure) =>
      this.#openFlags(stage, variables, { roll, isLarge: bytes > largeBytes, onFailure }),
    )
    this.#count(stage, await charge(this.#meter, stage, request), flags.filter(isServed))
    return flags
  }

  async #openFlags(
    stage: Stage,
    variables: readonly StoredVariable[],
    { roll, isLarge, onFailure }: { roll: RollRequest; isLarge: boolean; onFailure: OnFailure },
  ): Promise<Flag[]> {
    const open = isLarge ? openEachOnce(stage) : openSome(stage, variables.length)
    const slices = new TimeSlices()
    const flags: Flag[] = []
    for (const variable of variables) {
      flags.push(
        undefinedIfCannotOpen(() => this.#openFlag(stage, variable, roll, open), onFailure) ?? unopened(variable),
      )
      if ((isLarge || stage.pinEntries > 0) && slices.isOver) await slices.next()
    }
    return flags
  }

  /** Throws CannotOpen. */
  #openFlag(stage: Stage, variable: StoredVariable, roll: RollRequest, open: OpenValue): Flag {
    if (needsPinIndex(variable)) buildPinIndex(stage, variable)
    const choice = chooseStably(variable, roll, this.#dice, pinnedSideOf(variable, roll.seed))
    return { variable, choice, value: choice && open(variable, choice.index) }
  }

  #choose(variable: StoredVariable, roll: RollRequest): Choice {
    return choose(variable, roll, this.#dice, pinnedSideOf(variable, roll.seed))
  }

  /** Throws EVALUATION_FAILED. */
  #openOne(stage: Stage, { variable, choice }: ChosenVariable): string {
    return openOrFail(stage, this.#log, () => openOne(stage, variable, choice.index))
  }

  #open(stage: Stage, chosen: readonly ChosenVariable[], entries: readonly EvaluationEntry[]): EvaluatedVariable[] {
    return openOrFail(stage, this.#log, () => {
      const open = openSome(stage, chosen.length)
      return chosen.map((each, at) => evaluatedOf(each, open(each.variable, each.choice.index), entries[at]))
    })
  }

  async #openInSlices(
    stage: Stage,
    chosen: readonly ChosenVariable[],
    entries: readonly EvaluationEntry[],
  ): Promise<EvaluatedVariable[]> {
    const open = openEachOnce(stage)
    const slices = new TimeSlices()
    const results: EvaluatedVariable[] = []
    for (const [at, each] of chosen.entries()) {
      const value = openOrFail(stage, this.#log, () => open(each.variable, each.choice.index))
      results.push(evaluatedOf(each, value, entries[at]))
      if (slices.isOver) await slices.next()
    }
    return results
  }

  async #openAll(stage: Stage, roll: RollRequest): Promise<OpenedPiece[]> {
    if (stage.bytes > largeBytes) await buildInSlices(stage)
    const steps = openAll(stage, (variable) => this.#choose(variable, roll))
    const slices = new TimeSlices()
    const pieces: OpenedPiece[] = []
    for (;;) {
      const { done, value } = openOrFail(stage, this.#log, () => steps.next())
      if (done) return pieces
      pieces.push(value)
      if (slices.isOver) await slices.next()
    }
  }

  /**
   * Counts what was served, unless it was served and counted before. `served`: the rolls of a pull, which serves all variables. Throws
   * USAGE_LIMIT_EXCEEDED.
   */
  #count(stage: Stage, result: ChargeResult, served: readonly ServedVariable[], isPull = false): void {
    assertNotRefused(result)
    if (result !== 'counted') return
    this.#rollCounts.add(stage.stageId, served)
    if (isPull) this.#lastEvaluations.addAll(stage)
    else this.#lastEvaluations.add(stage, served)
  }
}

function isServed(flag: Flag): flag is EvaluatedFlag {
  return flag.value !== undefined
}

function evaluatedOf(
  { variable, choice: { decision, step } }: ChosenVariable,
  value: string,
  entry: EvaluationEntry | undefined,
): EvaluatedVariable {
  const { name, kind, declaredType, attributes } = variable
  const evaluated: Mutable<EvaluatedVariable> = { name, kind, value }
  if (declaredType) evaluated.declaredType = declaredType
  if (decision) evaluated.decision = decision
  if (!entry?.explain || !decision || !step) return evaluated
  return { ...evaluated, ...decisionFields({ decision, step }, attributes) }
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] }

/** Returns the stored bytes of the values of a variable, of which an answer has one. */
export function answerBytesOf({ size, pinBytes }: StoredVariable): number {
  return size - pinBytes
}

/** Returns a flag whose value, or whose pins, do not open. */
function unopened(variable: StoredVariable): Flag {
  return { variable, choice: { index: 0 }, value: undefined }
}

/** Reserves memory for the answer. Throws PAYLOAD_TOO_LARGE if its values have more stored bytes than one answer may have. */
export function reserve(bytes: number, request: Pick<EvaluationRequest, 'reserve'>): Promise<void> | undefined {
  if (bytes <= limits.evaluatedBytes) return request.reserve(bytes)
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The values of this request have ${bytes} stored bytes (maximum ${limits.evaluatedBytes}): request fewer values at once.`,
  )
}

/** Throws INVALID_REQUEST if the stored type is not the type that the caller expects. An untyped variable is a string. */
function assertDeclaredType(
  { name, declaredType = 'string' }: StoredVariable,
  expected: DeclaredType | undefined,
): void {
  if (expected === undefined || expected === declaredType) return
  throw new ApiError(
    'INVALID_REQUEST',
    `The variable ${JSON.stringify(name)} has the declared type ${declaredType}, not ${expected}: request ${declaredType}.`,
  )
}
