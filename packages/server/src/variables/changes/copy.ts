/** Makes variables of one stage what they are in another: opened there, and sealed for their new place with its project's key. */
import type { Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Log } from '../../base/log.ts'
import type { Sealer } from '../../crypto/seal.ts'
import type { VariableState } from '../../storage/variables.ts'
import type { StoredVariable } from '../kinds/kind.ts'
import { opening } from '../opening.ts'
import { missing, type Stage, type StageRef, type Stages } from '../stages.ts'
import { openValues, sealValues } from '../values.ts'
import { assertRevision, type Change } from './change.ts'

export type CopyRequest = Pick<Request<'copy'>, 'names' | 'ifRevision' | 'fromRevision'>

export class Copies {
  readonly #stages: Stages
  readonly #log: Log

  constructor(parts: { stages: Stages; log: Log }) {
    this.#stages = parts.stages
    this.#log = parts.log
  }

  /** Of the stage `from` as it is at one moment; a write to it that comes later is not in the copy. */
  change(from: StageRef, { names, ifRevision, fromRevision }: CopyRequest): Change {
    return {
      action: 'copy',
      decide: async (stage) => {
        const source = (await this.#stages.current(from)) ?? missing(names[0] ?? '')
        const puts = names.map((name) => {
          const variable = source.variables.get(name) ?? missing(name)
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
    const sealed = opening(source, this.#log, () => sealValues(sealer, variable, openValues(source.sealer, variable)))
    return { name, kind, declaredType: declaredType ?? null, attributes: JSON.stringify(attributes), sealed }
  }
}

/** Throws REVISION_CONFLICT. */
function assertSource({ revision }: Stage, asked: number | undefined): void {
  if (asked === undefined || asked === revision) return
  throw new ApiError('REVISION_CONFLICT', `The stage that is copied from is at revision ${revision}, not ${asked}.`)
}
