/** Changes variables without their values: how a roll decides, by its chance, labels, targeting rules and pins, and other attributes. */
import { attributesOf, changedPins, changesRoll, problemOfPins, type Pins, type Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Log } from '../../base/log.ts'
import type { Sealer } from '../../crypto/seal.ts'
import { throwNotFound, type Stage } from '../../stages/stages.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import type { VariableState } from '../../storage/variables.ts'
import { openOrFail } from '../opening.ts'
import { pinsOf, pinsText } from '../pins.ts'
import { openValues, sealValues } from '../values.ts'
import { assertRoll, partsOf } from './attributes.ts'
import { assertRevision, type Change } from './change.ts'

type Updates = NonNullable<Request<'changePropose'>['updates']>
export type RollRequest = Updates[number] & Pick<Request<'roll'>, 'ifRevision'>

export class RollChange {
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  change({ name, ifRevision, ...request }: RollRequest): Change {
    return {
      action: request.chance === undefined ? 'write' : 'chance',
      subject: partsOf(request),
      decide: (stage) => {
        const variable = stage?.variables.get(name) ?? throwNotFound(name)
        if (changesRoll(request)) assertRoll(variable)
        assertRevision(stage, ifRevision)
        const seal = (sealer: Sealer): VariableState =>
          openOrFail(stage as Stage, this.#log, () => stateOf(sealer, variable, request))
        return { puts: [{ name, seal }], deletes: [] }
      },
    }
  }
}

/** Seals values and pins again, so that one key has sealed all of them. Throws CannotOpen, CannotSeal or INVALID_REQUEST. */
function stateOf(
  sealer: Sealer,
  variable: StoredVariable,
  { chance, labels, rules, exposure, description, ...change }: Omit<RollRequest, 'name' | 'ifRevision'>,
): VariableState {
  const { name, kind, declaredType, attributes: stored } = variable
  const pins = changedPins(pinsOf(sealer, variable), change)
  assertPins(pins)
  const attributes = attributesOf({ kind, chance, labels, rules, pins, exposure, description }, stored)
  return {
    name,
    kind,
    declaredType: declaredType ?? null,
    attributes: JSON.stringify(attributes),
    sealed: sealValues(sealer, variable, openValues(sealer, variable), pinsText(attributes, pins)),
  }
}

/** Throws INVALID_REQUEST if a side has too many pins after the change. */
function assertPins(pins: Pins): void {
  const problem = problemOfPins(pins)
  if (problem) throw new ApiError('INVALID_REQUEST', `pins.${problem.path.join('.')} ${problem.message}.`)
}
