/** Digests: they show whether values are equal without showing the values (docs/decisions/0011-service-tokens.md). */
import { kinds, type DigestEntry, type Response } from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { describeVariable } from '../variables/list.ts'
import { loggingFailures, undefinedIfCannotOpen, type OnFailure } from '../variables/opening.ts'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { openPins, openTemplate } from '../variables/values.ts'
import { openSome, type OpenValue } from './open-values.ts'

export class Digests {
  readonly #keyring: Keyring
  readonly #log: Log

  constructor(parts: { keyring: Keyring; log: Log }) {
    this.#keyring = parts.keyring
    this.#log = parts.log
  }

  /** Returns the digests in wire order. `mayRead`: whether the caller may read the values. */
  async list(stage: Stage, mayRead: boolean): Promise<Response<'digests'>> {
    const { revision } = stage
    const variables = await this.#of(stage, [...stage.variables.values()])
    if (mayRead) return { variables, revision }
    const hide = this.#keyring.digestHiderOf(stage.stageId)
    const slices = new TimeSlices()
    const hidden: DigestEntry[] = []
    for (const variable of variables) {
      hidden.push({ ...variable, digests: hide(variable) })
      if (slices.isOver) await slices.next()
    }
    return { variables: hidden, revision, valuesHidden: true }
  }

  /** Returns the digests of some variables, without those that do not exist. */
  of(stage: Stage, names: readonly string[]): Promise<DigestEntry[]> {
    return this.#of(
      stage,
      names.flatMap((name) => stage.variables.get(name) ?? []),
    )
  }

  #of(stage: Stage, variables: readonly StoredVariable[]): Promise<DigestEntry[]> {
    const digest = this.#keyring.digesterOf(stage.orgId)
    return loggingFailures(stage, this.#log, (onFailure) => digestsOf(stage, variables, digest, onFailure))
  }
}

type ValueDigests = DigestEntry['digests']

/**
 * Digests by variable. A write keeps most variables of a stage in memory, and so most digests: pages that show a stage again
 * open only what changed. They reveal no value (docs/threat-model.md).
 */
const digestsByVariable = new WeakMap<StoredVariable, ValueDigests>()

function digestsOf(
  stage: Stage,
  variables: readonly StoredVariable[],
  digest: (value: string) => string,
  onFailure: OnFailure,
): DigestEntry[] {
  const count = variables.reduce((sum, each) => (digestsByVariable.has(each) ? sum : sum + each.payloads.length), 0)
  const open = openSome(stage, count)
  return variables.map((variable) => {
    const { updatedAtMs, updatedBy } = variable
    const digests = digestsByVariable.get(variable) ?? computeDigests(stage, variable, open, { digest, onFailure })
    return { ...describeVariable(variable), digests, updatedAtMs, updatedBy }
  })
}

/** Computes the digests of a variable. A value that does not open has none, so that the others can still be compared. */
function computeDigests(
  { sealer }: Stage,
  variable: StoredVariable,
  open: OpenValue,
  { digest, onFailure }: { digest: (value: string) => string; onFailure: OnFailure },
): ValueDigests {
  const { values } = kinds[variable.kind]
  const { pinned, template: isTemplate } = variable.attributes
  const entries = values.flatMap(({ role }, index) => {
    const value = undefinedIfCannotOpen(() => open(variable, index), onFailure)
    return value === undefined ? [] : [[role, digest(value)] as const]
  })
  const pins = pinned && undefinedIfCannotOpen(() => openPins(sealer, variable), onFailure)
  const template = isTemplate && undefinedIfCannotOpen(() => openTemplate(sealer, variable), onFailure)
  const digests: ValueDigests = {
    ...Object.fromEntries(entries),
    ...(pins && { pins: digest(String(pins)) }),
    ...(template && { template: digest(String(template)) }),
  }
  // Each request tries again, and logs, what did not open.
  if (entries.length === values.length && !pinned === !pins && !isTemplate === !template)
    digestsByVariable.set(variable, digests)
  return digests
}
