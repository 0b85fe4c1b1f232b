/** Copies variables from one stage to another: opens them and seals them for the target with the key of its project. */
import type { Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Log } from '../../base/log.ts'
import type { Sealer } from '../../crypto/seal.ts'
import type { VariableState } from '../../storage/variables.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import { openOrFail } from '../opening.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../../stages/stages.ts'
import { openPlaintext, sealValues } from '../values.ts'
import { assertRevision, type Change } from './change.ts'

export type CopyRequest = Pick<Request<'copy'>, 'names' | 'ifRevision' | 'fromRevision'>

/** The stage that a request copies from. */
export interface CopySource {
  readonly from: StageRef
  /** Whether the caller may read the values of the target, as for a template that they write there. */
  readonly mayReadTarget: boolean
}

export class CopyChange {
  readonly #stages: Stages
  readonly #log: Log

  constructor(parts: { stages: Stages; log: Log }) {
    this.#stages = parts.stages
    this.#log = parts.log
  }

  /** Returns the change that copies from a snapshot of the stage `from`. Later writes to that stage are not in the copy. */
  change({ from, mayReadTarget }: CopySource, { names, ifRevision, fromRevision }: CopyRequest): Change {
    return {
      action: 'copy',
      decide: async (stage) => {
        const source = (await this.#stages.current(from)) ?? throwNotFound(names[0] ?? '')
        const puts = names.map((name) => {
          const variable = source.variables.get(name) ?? throwNotFound(name)
          if (variable.attributes.template && !mayReadTarget) throw mayNotRead(name)
          return { name, seal: (sealer: Sealer) => this.#copyOf(source, variable, sealer) }
        })
        assertSource(source, fromRevision)
        assertRevision(stage, ifRevision)
        return { puts, deletes: [] }
      },
    }
  }

  #copyOf(source: Stage, variable: StoredVariable, sealer: Sealer): VariableState {
    const { name, kind, declaredType, attributes } = variable
    const sealed = openOrFail(source, this.#log, () =>
      sealValues(sealer, variable, openPlaintext(source.sealer, variable)),
    )
    return { name, kind, declaredType: declaredType ?? null, attributes: JSON.stringify(attributes), sealed }
  }
}

function mayNotRead(name: string): ApiError {
  return new ApiError(
    'FORBIDDEN',
    `${JSON.stringify(name)} is a template, and you do not have "read" in the target, whose values it would name: leave it out, or ask for "read" there.`,
  )
}

/** Throws REVISION_CONFLICT if the source is at another revision than the request expects. */
function assertSource({ revision }: Stage, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return
  throw new ApiError(
    'REVISION_CONFLICT',
    `The source stage is at revision ${revision}, not ${expected}: read it again, then repeat the copy.`,
  )
}
