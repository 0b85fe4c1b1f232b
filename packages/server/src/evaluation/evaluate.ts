/** Evaluation: find → check → choose → open → charge → answer. A single evaluation is a batch of one; a pull is a whole stage. */
import { limits, type DeclaredType, type Evaluated, type Roll } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import { ApiError } from '../base/api-error.ts'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import type { Log } from '../base/log.ts'
import type { UsageEvent, Meter } from '../metering/meter.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { openOrFail } from '../variables/opening.ts'
import type { RollCounts, ServedVariable } from './roll-counts.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import {
  buildInSlices,
  openAll,
  openEachOnce,
  openSome,
  type ChosenVariable,
  type OpenedPiece,
  type OpenValue,
} from './bundle.ts'
import { choose, type Dice } from './choose.ts'

export interface EvaluationEntry extends Roll {
  readonly name: string
  readonly declaredType?: DeclaredType | undefined
}

export interface PullResult {
  /** The JSON text of the variables without the braces, `"NAME":"value",…`, in pieces. */
  readonly members: readonly Buffer[]
  readonly revision: number
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
  readonly #dice: Dice
  readonly #log: Log

  constructor(parts: { stages: Stages; meter: Meter; rollCounts: RollCounts; dice: Dice; log: Log }) {
    this.#stages = parts.stages
    this.#meter = parts.meter
    this.#rollCounts = parts.rollCounts
    this.#dice = parts.dice
    this.#log = parts.log
  }

  /** Returns the results in the order of `entries`, all or none. Throws ApiError or StaleRead. */
  async evaluate(
    stageRef: StageRef,
    entries: readonly EvaluationEntry[],
    request: EvaluationRequest,
  ): Promise<Evaluated[]> {
    const stage = await this.#stages.find(stageRef, request.reads)
    const variables = entries.map(({ name }) => stage.variables.get(name) ?? throwNotFound(name))
    for (const [index, variable] of variables.entries()) assertDeclaredType(variable, entries[index]?.declaredType)
    const bytes = variables.reduce((sum, { size }) => sum + size, 0)
    await reserve(bytes, request)
    const chosen = variables.map((variable, index) => ({
      variable,
      ...choose(variable, entries[index] as EvaluationEntry, this.#dice),
    }))
    const results = bytes > largeBytes ? await this.#openInSlices(stage, chosen) : this.#open(stage, chosen)
    await this.#charge(stage, request, chosen)
    return results
  }

  /** Returns all variables of a stage. Throws ApiError or StaleRead. */
  async pull(stageRef: StageRef, roll: Roll, request: EvaluationRequest): Promise<PullResult> {
    const stage = await this.#stages.find(stageRef, request.reads)
    await reserve(stage.bytes, request)
    const pieces = await this.#openAll(stage, roll)
    const served = pieces.flatMap(({ chosen }) => chosen)
    await this.#charge(stage, request, served)
    return { members: pieces.map(({ text }) => text), revision: stage.revision }
  }

  #open(stage: Stage, chosen: readonly ChosenVariable[]): Evaluated[] {
    return openOrFail(stage, this.#log, () => {
      const open = openSome(stage, chosen.length)
      return chosen.map((choice) => evaluatedOf(choice, open))
    })
  }

  async #openInSlices(stage: Stage, chosen: readonly ChosenVariable[]): Promise<Evaluated[]> {
    const open = openEachOnce(stage)
    const slices = new TimeSlices()
    const results: Evaluated[] = []
    for (const choice of chosen) {
      results.push(openOrFail(stage, this.#log, () => evaluatedOf(choice, open)))
      if (slices.isOver) await slices.next()
    }
    return results
  }

  async #openAll(stage: Stage, roll: Roll): Promise<OpenedPiece[]> {
    if (stage.bytes > largeBytes) await buildInSlices(stage)
    const steps = openAll(stage, (variable) => choose(variable, roll, this.#dice))
    const slices = new TimeSlices()
    const pieces: OpenedPiece[] = []
    for (;;) {
      const { done, value } = openOrFail(stage, this.#log, () => steps.next())
      if (done) return pieces
      pieces.push(value)
      if (slices.isOver) await slices.next()
    }
  }

  /** Charges the event, and counts what it served unless it was served and counted before. Throws ApiError or StaleRead. */
  async #charge(
    { orgId, projectId, stageId }: Stage,
    { usage: { caller, how, requestKey }, reads }: EvaluationRequest,
    served: readonly ServedVariable[],
  ): Promise<void> {
    const charge = await this.#meter.charge({ orgId, projectId, stageId, caller, how, requestKey }, reads)
    if (charge === 'refused') {
      throw new ApiError(
        'USAGE_LIMIT_EXCEEDED',
        "This month's evaluations of the plan are used up: wait until next month, or change the plan.",
      )
    }
    if (charge === 'counted') this.#rollCounts.add(stageId, served)
  }
}

function evaluatedOf({ variable, index, decision }: ChosenVariable, open: OpenValue): Evaluated {
  const { name, kind, declaredType } = variable
  const value = open(variable, index)
  return { name, kind, value, ...(declaredType && { declaredType }), ...(decision && { decision }) }
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
