/** Evaluation: find → check → choose → open → charge → answer. A single evaluation is a batch of one; a pull is a whole stage. */
import { limits, type Choice, type DeclaredType, type Evaluated, type Roll } from '@rollkey/contract'
import { StaleRead, type ReadSet } from '../consistency/read-set.ts'
import { ApiError } from '../base/api-error.ts'
import { largeBytes, TimeSlices } from '../concurrency/time-slices.ts'
import type { Log } from '../base/log.ts'
import type { UsageEvent, Meter } from '../metering/meter.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { opening } from '../variables/opening.ts'
import type { RollCounts, ServedSide } from './roll-counts.ts'
import { missing, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import { buildInSlices, openAll, openEachOnce, openSome, type OpenValue } from './bundle.ts'
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

/** A function that reserves memory for an answer whose values have this many stored bytes. It throws RATE_LIMITED. */
type ReserveRoom = (bytes: number) => Promise<void> | undefined | void

const always: ReserveRoom = () => {}
const nowhere = { projectId: '', stageId: '' }

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
    address: StageRef,
    entries: readonly EvaluationEntry[],
    charged: UsageEvent,
    reads: ReadSet,
    admit = always,
  ): Promise<Evaluated[]> {
    const stage = await this.#stages.find(address, reads)
    const found = entries.map(({ name }) => stage?.variables.get(name) ?? missing(name))
    for (const [index, variable] of found.entries()) assertDeclaredType(variable, entries[index]?.declaredType)
    const bytes = found.reduce((sum, { size }) => sum + size, 0)
    assertSize(bytes)
    // Only a large answer has to wait.
    const turn = admit(bytes)
    if (turn) await turn
    const served: ServedSide[] = []
    const results =
      stage && bytes > largeBytes
        ? await this.#openInSlices(stage, found, entries, served)
        : this.#open(stage, found, entries, served)
    const isCounted = await this.#charge(address, stage, charged, reads)
    if (stage && isCounted) this.#rollCounts.add(stage.stageId, served)
    return results
  }

  /** Returns all of a stage. A stage that does not exist is empty and at revision 0. Throws ApiError or StaleRead. */
  async pull(address: StageRef, roll: Roll, charged: UsageEvent, reads: ReadSet, admit = always): Promise<PullResult> {
    const stage = await this.#stages.find(address, reads)
    assertSize(stage?.bytes ?? 0)
    const turn = admit(stage?.bytes ?? 0)
    if (turn) await turn
    const served: ServedSide[] = []
    const members = stage ? await this.#openAll(stage, roll, served) : []
    const isCounted = await this.#charge(address, stage, charged, reads)
    if (stage && isCounted) this.#rollCounts.add(stage.stageId, served)
    return { members, revision: stage?.revision ?? 0 }
  }

  async #openAll(stage: Stage, roll: Roll, served: ServedSide[]): Promise<Buffer[]> {
    if (stage.bytes > largeBytes) await buildInSlices(stage)
    const pieces = openAll(stage, (variable) => this.#choose(variable, roll, served))
    const slices = new TimeSlices()
    const opened: Buffer[] = []
    for (;;) {
      const { done, value } = opening(stage, this.#log, () => pieces.next())
      if (done) return opened
      opened.push(value)
      if (slices.isOver) await slices.next()
    }
  }

  #open(
    stage: Stage | undefined,
    found: readonly StoredVariable[],
    entries: readonly EvaluationEntry[],
    served: ServedSide[],
  ): Evaluated[] {
    if (!stage) return []
    return opening(stage, this.#log, () => {
      const open = openSome(stage, found.length)
      return found.map((variable, index) => this.#evaluated(variable, entries[index] as EvaluationEntry, open, served))
    })
  }

  async #openInSlices(
    stage: Stage,
    found: readonly StoredVariable[],
    entries: readonly EvaluationEntry[],
    served: ServedSide[],
  ): Promise<Evaluated[]> {
    const open = openEachOnce(stage)
    const slices = new TimeSlices()
    const results: Evaluated[] = []
    for (const [index, variable] of found.entries()) {
      const evaluate = (): Evaluated => this.#evaluated(variable, entries[index] as EvaluationEntry, open, served)
      results.push(opening(stage, this.#log, evaluate))
      if (slices.isOver) await slices.next()
    }
    return results
  }

  #evaluated(variable: StoredVariable, roll: EvaluationEntry, open: OpenValue, served: ServedSide[]): Evaluated {
    const { name, kind, declaredType } = variable
    const { index, decision } = this.#choose(variable, roll, served)
    const value = open(variable, index)
    return { name, kind, value, ...(declaredType && { declaredType }), ...(decision && { decision }) }
  }

  #choose(variable: StoredVariable, roll: Roll, served: ServedSide[]): Choice {
    const choice = choose(variable, roll, this.#dice)
    if (choice.decision) served.push({ variable, decision: choice.decision })
    return choice
  }

  /** Charges the event. Returns whether it is new: a repeated one was already served and counted. Throws ApiError or StaleRead. */
  async #charge(
    { orgId }: StageRef,
    stage: Stage | undefined,
    { caller, how, requestKey }: UsageEvent,
    reads: ReadSet,
  ): Promise<boolean> {
    const { projectId, stageId } = stage ?? nowhere
    const charge = await this.#meter.charge({ orgId, projectId, stageId, caller, how, requestKey }, reads)
    if (charge === 'stale') throw new StaleRead()
    if (charge === 'refused') {
      throw new ApiError(
        'USAGE_LIMIT_EXCEEDED',
        "This month's evaluations of the plan are used up: wait until next month, or change the plan.",
      )
    }
    return charge === 'counted'
  }
}

/** Throws PAYLOAD_TOO_LARGE if the values have more stored bytes than one answer may have. */
function assertSize(bytes: number): void {
  if (bytes <= limits.evaluatedBytes) return
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
