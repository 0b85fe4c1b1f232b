/** Changes variables without their values: how rolls decide, by chance, labels, targeting rules and pins, and other attributes. */
import {
  attributesOf,
  changedPins,
  changesRoll,
  fieldsOf,
  kinds,
  problemOfPins,
  statedAttributes,
  valueFactsOf,
  type AttributeChanges,
  type Pins,
  type Request,
  type VariableUpdate,
} from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Log } from '../../base/log.ts'
import type { Sealer } from '../../crypto/seal.ts'
import { packVariable } from '../../stages/payloads.ts'
import { throwNotFound, type Stage } from '../../stages/stages.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import type { VariableState } from '../../storage/variables.ts'
import { openOrFail } from '../opening.ts'
import { pinsOf, pinsText } from '../pins.ts'
import { openPlaintext, sealValues } from '../values.ts'
import { assertRevision, type Change } from './change.ts'

export type UpdateRequest = Pick<Request<'update'>, 'updates' | 'ifRevision'>

export class UpdateChange {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  change({ updates, ifRevision }: UpdateRequest): Change {
    return {
      action: 'write',
      parts: new Map(updates.map((update) => [update.name, partsOf(update)])),
      decide: (stage) => {
        const found = updates.map((update) => ({ update, variable: variableOf(stage, update) }))
        assertRevision(stage, ifRevision)
        return {
          puts: found.map(({ update, variable }) => ({
            name: update.name,
            keepsValues: true,
            seal: (sealer) => this.#stateOf(stage as Stage, sealer, variable, update),
          })),
          deletes: [],
        }
      },
    }
  }

  /** Throws EVALUATION_FAILED or INVALID_REQUEST. */
  #stateOf(stage: Stage, sealer: Sealer, variable: StoredVariable, update: VariableUpdate): VariableState {
    if (!statedAttributes(update).includes('pinned')) return withAttributes(variable, update)
    return openOrFail(stage, this.#log, () => withPins(sealer, variable, update))
  }
}

/** Returns the change of the chance of a roll. */
export function changeOfChance({ name, chance }: { readonly name: string; readonly chance: number }): Change {
  return {
    action: 'chance',
    decide(stage) {
      const variable = variableOf(stage, { name, chance })
      const state = withAttributes(variable, { chance })
      return { puts: [{ name, keepsValues: true, seal: () => state }], deletes: [] }
    },
  }
}

/** Names what an update changes, for the audit log. */
function partsOf(update: VariableUpdate): readonly string[] {
  return statedAttributes(update).map((name) => fieldsOf(name)[0])
}

/** Throws VARIABLE_NOT_FOUND, or INVALID_REQUEST unless what changes as only a roll's can is a roll. */
function variableOf(stage: Stage | undefined, update: VariableUpdate): StoredVariable {
  const variable = stage?.variables.get(update.name) ?? throwNotFound(update.name)
  if (changesRoll(update)) assertRoll(variable)
  return variable
}

/** Throws INVALID_REQUEST unless the variable is a roll. */
export function assertRoll({ name, kind }: StoredVariable): void {
  const { noun, attributes } = kinds[kind]
  if (attributes.includes('chance')) return
  throw new ApiError('INVALID_REQUEST', `The variable ${JSON.stringify(name)} is a ${noun}: only rolls have a chance.`)
}

/** Values and pins stay sealed as they are. */
function withAttributes(
  { name, kind, declaredType, attributes: stored, payloads, sealedPins, sealedTemplate }: StoredVariable,
  changes: AttributeChanges,
): VariableState {
  const attributes = { ...attributesOf({ ...changes, kind }, stored), ...valueFactsOf(stored) }
  const sealed = packVariable({ payloads, sealedPins, sealedTemplate })
  return { name, kind, declaredType: declaredType ?? null, attributes: JSON.stringify(attributes), sealed }
}

/** Seals values and pins again, so that one key has sealed all of them. Throws CannotOpen, CannotSeal or INVALID_REQUEST. */
function withPins(sealer: Sealer, variable: StoredVariable, update: VariableUpdate): VariableState {
  const { name, kind, declaredType, attributes: stored } = variable
  const pins = changedPins(pinsOf(sealer, variable), update)
  assertPins(name, pins)
  const attributes = { ...attributesOf({ ...update, kind, pins }, stored), ...valueFactsOf(stored) }
  return {
    name,
    kind,
    declaredType: declaredType ?? null,
    attributes: JSON.stringify(attributes),
    sealed: sealValues(sealer, variable, { ...openPlaintext(sealer, variable), pins: pinsText(attributes, pins) }),
  }
}

/** Throws INVALID_REQUEST if a side of a roll has too many pins after the change. */
function assertPins(name: string, pins: Pins): void {
  const problem = problemOfPins(pins)
  if (!problem) return
  const where = `pins.${problem.path.join('.')} of ${JSON.stringify(name)}`
  throw new ApiError('INVALID_REQUEST', `${where} ${problem.message}.`)
}
