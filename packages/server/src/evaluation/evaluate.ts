/** Evaluation: find → check → choose → open → charge → answer. One is a batch of one; a pull is all of a stage. */
import type { DeclaredType, Evaluated } from '@rollkey/contract'
import { Outdated, type Claims } from '../base/claims.ts'
import { Fault } from '../base/fault.ts'
import type { Log } from '../base/log.ts'
import type { Meter } from '../metering/meter.ts'
import { kinds } from '../variables/kinds/index.ts'
import type { Dice, Roll, StoredVariable } from '../variables/kinds/kind.ts'
import type { Stage, StageAddress, Stages } from '../variables/stages.ts'
import { openAll, openSome } from './bundle.ts'
import { opening } from './opening.ts'

export interface Wanted extends Roll {
  readonly name: string
  readonly declaredType?: DeclaredType | undefined
}

export interface Pulled {
  /** The JSON text of the variables without its braces, `"NAME":"value",…`. */
  readonly members: Buffer
  readonly revision: number
}

const nothing = Buffer.alloc(0)
const nowhere = { projectId: '', stageId: '' }

export class Evaluation {
  readonly #stages: Stages
  readonly #meter: Meter
  readonly #dice: Dice
  readonly #log: Log

  constructor(parts: { stages: Stages; meter: Meter; dice: Dice; log: Log }) {
    this.#stages = parts.stages
    this.#meter = parts.meter
    this.#dice = parts.dice
    this.#log = parts.log
  }

  /** The results in the order of `wanted`; all or none. Throws Fault or Outdated. */
  async evaluate(
    address: StageAddress,
    wanted: readonly Wanted[],
    requestKey: string | undefined,
    claims: Claims,
  ): Promise<Evaluated[]> {
    const stage = await this.#stages.find(address, claims)
    const found = wanted.map(({ name }) => stage?.variables.get(name) ?? missing(name))
    for (const [index, variable] of found.entries()) assertDeclaredType(variable, wanted[index]?.declaredType)
    const results = stage ? opening(stage, this.#log, () => this.#open(stage, found, wanted)) : []
    await this.#charge(address, stage, requestKey, claims)
    return results
  }

  /** Everything of a stage; one that does not exist is empty and at revision 0. Throws Fault or Outdated. */
  async pull(address: StageAddress, roll: Roll, requestKey: string | undefined, claims: Claims): Promise<Pulled> {
    const stage = await this.#stages.find(address, claims)
    const members = stage
      ? opening(stage, this.#log, () =>
          openAll(stage, ({ name, kind, facets }) => kinds[kind].choose(name, facets, roll, this.#dice)),
        )
      : nothing
    await this.#charge(address, stage, requestKey, claims)
    return { members, revision: stage?.revision ?? 0 }
  }

  #open(stage: Stage, found: readonly StoredVariable[], wanted: readonly Wanted[]): Evaluated[] {
    const open = openSome(stage, found.length)
    return found.map((variable, index) => {
      const { name, kind, declaredType, facets } = variable
      const { role, decision } = kinds[kind].choose(name, facets, wanted[index] as Wanted, this.#dice)
      const value = open(variable, role)
      return { name, kind, value, ...(declaredType && { declaredType }), ...(decision && { decision }) }
    })
  }

  async #charge(
    { orgId }: StageAddress,
    stage: Stage | undefined,
    requestKey: string | undefined,
    claims: Claims,
  ): Promise<void> {
    const { projectId, stageId } = stage ?? nowhere
    const charge = await this.#meter.charge({ orgId, projectId, stageId, requestKey }, claims)
    if (charge === 'outdated') throw new Outdated()
    if (charge === 'refused') {
      throw new Fault('USAGE_LIMIT_EXCEEDED', "This month's evaluations of the plan are used up.")
    }
  }
}

function missing(name: string): never {
  throw new Fault('VARIABLE_NOT_FOUND', `The stage has no variable ${JSON.stringify(name)}.`)
}

/** What the caller expects must be what is stored; an untyped variable is a string. */
function assertDeclaredType({ name, declaredType = 'string' }: StoredVariable, asked: DeclaredType | undefined): void {
  if (asked === undefined || asked === declaredType) return
  throw new Fault('INVALID_REQUEST', `The variable ${JSON.stringify(name)} is declared ${declaredType}, not ${asked}.`)
}
