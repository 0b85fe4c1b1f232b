/** Digests: they show whether values are equal without showing the values (docs/decisions/0011-service-tokens.md). */
import { kinds, type Digested } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import type { Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { CannotOpen } from '../crypto/seal.ts'
import { describe } from '../variables/list.ts'
import { logUnopened, openedOrNot } from '../variables/opening.ts'
import type { Stage, StageRef, Stages } from '../stages/stages.ts'
import { openSome } from './bundle.ts'

export class Digests {
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #log: Log

  constructor(parts: { stages: Stages; keyring: Keyring; log: Log }) {
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#log = parts.log
  }

  /** Returns the digests in wire order. A stage that does not exist is empty and at revision 0. */
  async of(address: StageRef, reads: ReadSet): Promise<{ variables: Digested[]; revision: number }> {
    const stage = await this.#stages.find(address, reads)
    if (!stage) return { variables: [], revision: 0 }
    const failures: CannotOpen[] = []
    const variables = digestsOf(stage, this.#keyring.digesterOf(address.orgId), (error) => failures.push(error))
    const [first] = failures
    // One log line for all failures: there may be thousands if a key is lost.
    if (first) logUnopened(this.#log, stage, first)
    return { variables, revision: stage.revision }
  }
}

/** Returns the digests. A value that does not open has none, so that the others can still be compared. */
function digestsOf(
  stage: Stage,
  digest: (value: string) => string,
  onFailure: (error: CannotOpen) => void,
): Digested[] {
  const variables = [...stage.variables.values()]
  const count = variables.reduce((sum, { payloads }) => sum + payloads.length, 0)
  const open = openSome(stage, count)
  return variables.map((variable) => {
    const digests = kinds[variable.kind].values.flatMap(({ role }, index) => {
      const value = openedOrNot(() => open(variable, index), onFailure)
      return value === undefined ? [] : [[role, digest(value)]]
    })
    return { ...describe(variable), digests: Object.fromEntries(digests) as Digested['digests'] }
  })
}
