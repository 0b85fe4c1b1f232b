/** Evaluation: find → check → choose → open → charge → answer. One is a batch of one; a pull is all of a stage. */
import { limits, type DeclaredType, type Evaluated } from '@rollkey/contract'
import { Outdated, type Claims } from '../base/claims.ts'
import { Fault } from '../base/fault.ts'
import { largeBytes, Slices } from '../base/slices.ts'
import type { Log } from '../base/log.ts'
import type { Charged, Meter } from '../metering/meter.ts'
import { kinds } from '../variables/kinds/index.ts'
import type { Choice, Dice, Roll, StoredVariable } from '../variables/kinds/kind.ts'
import { opening } from '../variables/opening.ts'
import type { RollCounts, Served } from '../variables/roll-counts.ts'
import { missing, type Stage, type StageAddress, type Stages } from '../variables/stages.ts'
import { buildInSlices, openAll, openEachOnce, openSome, type OpenValue } from './bundle.ts'

export interface Wanted extends Roll {
  readonly name: string
  readonly declaredType?: DeclaredType | undefined
}

export interface Pulled {
  /** The JSON text of the variables without its braces, `"NAME":"value",…`, in pieces. */
  readonly members: readonly Buffer[]
  readonly revision: number
}

/** Makes room for an answer whose values have this number of stored bytes. Throws RATE_LIMITED. */
type Admit = (bytes: number) => Promise<void> | undefined | void

const always: Admit = () => {}
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

  /** The results in the order of `wanted`; all or none. Throws Fault or Outdated. */
  async evaluate(
    address: StageAddress,
    wanted: readonly Wanted[],
    charged: Charged,
    claims: Claims,
    admit = always,
  ): Promise<Evaluated[]> {
    const stage = await this.#stages.find(address, claims)
    const found = wanted.map(({ name }) => stage?.variables.get(name) ?? missing(name))
    for (const [index, variable] of found.entries()) assertDeclaredType(variable, wanted[index]?.declaredType)
    const bytes = found.reduce((sum, { size }) => sum + size, 0)
    assertSize(bytes)
    // Only a large answer has to wait.
    const turn = admit(bytes)
    if (turn) await turn
    const served: Served[] = []
    const results =
      stage && bytes > largeBytes
        ? await this.#openInSlices(stage, found, wanted, served)
        : this.#open(stage, found, wanted, served)
    const isCounted = await this.#charge(address, stage, charged, claims)
    if (stage && isCounted) this.#rollCounts.add(stage.stageId, served)
    return results
  }

  /** Everything of a stage; one that does not exist is empty and at revision 0. Throws Fault or Outdated. */
  async pull(address: StageAddress, roll: Roll, charged: Charged, claims: Claims, admit = always): Promise<Pulled> {
    const stage = await this.#stages.find(address, claims)
    assertSize(stage?.bytes ?? 0)
    const turn = admit(stage?.bytes ?? 0)
    if (turn) await turn
    const served: Served[] = []
    const members = stage ? await this.#openAll(stage, roll, served) : []
    const isCounted = await this.#charge(address, stage, charged, claims)
    if (stage && isCounted) this.#rollCounts.add(stage.stageId, served)
    return { members, revision: stage?.revision ?? 0 }
  }

  async #openAll(stage: Stage, roll: Roll, served: Served[]): Promise<Buffer[]> {
    if (stage.bytes > largeBytes) await buildInSlices(stage)
    const pieces = openAll(stage, (variable) => this.#choose(variable, roll, served))
    const slices = new Slices()
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
    wanted: readonly Wanted[],
    served: Served[],
  ): Evaluated[] {
    if (!stage) return []
    return opening(stage, this.#log, () => {
      const open = openSome(stage, found.length)
      return found.map((variable, index) => this.#evaluated(variable, wanted[index] as Wanted, open, served))
    })
  }

  async #openInSlices(
    stage: Stage,
    found: readonly StoredVariable[],
    wanted: readonly Wanted[],
    served: Served[],
  ): Promise<Evaluated[]> {
    const open = openEachOnce(stage)
    const slices = new Slices()
    const results: Evaluated[] = []
    for (const [index, variable] of found.entries()) {
      const evaluate = (): Evaluated => this.#evaluated(variable, wanted[index] as Wanted, open, served)
      results.push(opening(stage, this.#log, evaluate))
      if (slices.isOver) await slices.next()
    }
    return results
  }

  #evaluated(variable: StoredVariable, roll: Wanted, open: OpenValue, served: Served[]): Evaluated {
    const { name, kind, declaredType } = variable
    const { role, decision } = this.#choose(variable, roll, served)
    const value = open(variable, role)
    return { name, kind, value, ...(declaredType && { declaredType }), ...(decision && { decision }) }
  }

  #choose(variable: StoredVariable, roll: Roll, served: Served[]): Choice {
    const { name, kind, facets } = variable
    const choice = kinds[kind].choose(name, facets, roll, this.#dice)
    if (choice.decision) served.push({ variable, decision: choice.decision })
    return choice
  }

  /** Whether the event is a new one: a repeated one was served, and counted, before. Throws Fault or Outdated. */
  async #charge(
    { orgId }: StageAddress,
    stage: Stage | undefined,
    { caller, how, requestKey }: Charged,
    claims: Claims,
  ): Promise<boolean> {
    const { projectId, stageId } = stage ?? nowhere
    const charge = await this.#meter.charge({ orgId, projectId, stageId, caller, how, requestKey }, claims)
    if (charge === 'outdated') throw new Outdated()
    if (charge === 'refused') {
      throw new Fault('USAGE_LIMIT_EXCEEDED', "This month's evaluations of the plan are used up.")
    }
    return charge === 'counted'
  }
}

/** Throws PAYLOAD_TOO_LARGE for values of more stored bytes than one answer may have. */
function assertSize(bytes: number): void {
  if (bytes <= limits.evaluatedBytes) return
  throw new Fault(
    'PAYLOAD_TOO_LARGE',
    `The values of this request have ${bytes} stored bytes, and one answer may have ${limits.evaluatedBytes}: ask for fewer values at once.`,
  )
}

/** What the caller expects must be what is stored; an untyped variable is a string. */
function assertDeclaredType({ name, declaredType = 'string' }: StoredVariable, asked: DeclaredType | undefined): void {
  if (asked === undefined || asked === declaredType) return
  throw new Fault('INVALID_REQUEST', `The variable ${JSON.stringify(name)} is declared ${declaredType}, not ${asked}.`)
}
