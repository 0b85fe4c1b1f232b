/** Digests: they show whether values are equal without showing the values (docs/decisions/0011-service-tokens.md). */
import { kinds, type DigestEntry } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { describeVariable } from '../variables/list.ts'
import { loggingFailures, undefinedIfCannotOpen, type OnFailure } from '../variables/opening.ts'
import type { Stage } from '../stages/stages.ts'
import { openSome } from './bundle.ts'

export class Digests {
  readonly #keyring: Keyring
  readonly #log: Log

  constructor(parts: { keyring: Keyring; log: Log }) {
    this.#keyring = parts.keyring
    this.#log = parts.log
  }

  /** Returns the digests in wire order. */
  async list(stage: Stage): Promise<{ variables: DigestEntry[]; revision: number }> {
    const digest = this.#keyring.digesterOf(stage.orgId)
    const variables = await loggingFailures(stage, this.#log, (onFailure) => digestsOf(stage, digest, onFailure))
    return { variables, revision: stage.revision }
  }
}

/** Returns the digests. A value that does not open has none, so that the others can still be compared. */
function digestsOf(stage: Stage, digest: (value: string) => string, onFailure: OnFailure): DigestEntry[] {
  const variables = [...stage.variables.values()]
  const count = variables.reduce((sum, { payloads }) => sum + payloads.length, 0)
  const open = openSome(stage, count)
  return variables.map((variable) => {
    const digests = kinds[variable.kind].values.flatMap(({ role }, index) => {
      const value = undefinedIfCannotOpen(() => open(variable, index), onFailure)
      return value === undefined ? [] : [[role, digest(value)]]
    })
    const { updatedAtMs, updatedBy } = variable
    return {
      ...describeVariable(variable),
      digests: Object.fromEntries(digests) as DigestEntry['digests'],
      updatedAtMs,
      updatedBy,
    }
  })
}
