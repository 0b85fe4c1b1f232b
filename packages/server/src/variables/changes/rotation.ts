/**
 * The writes of a gradual rotation (docs/rotation.md): a secret becomes a roll of its new value (A) and its old one (B), and in the end a
 * secret with one of them. The roll is marked, so that whatever cannot serve two values serves the old one.
 */
import { attributesOf, dependentsOf, listedNames } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Log } from '../../base/log.ts'
import { throwNotFound, type Stage } from '../../stages/stages.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import { openOrFail } from '../opening.ts'
import { openValue, sealValues } from '../values.ts'
import type { Change, Put } from './change.ts'
import { changeOfChance } from './updates.ts'

const [newValue, oldValue] = [0, 1]
const labels = { a: 'new', b: 'old' }

/** Returns the secret that a rotation begins with. Throws VARIABLE_NOT_FOUND, or INVALID_REQUEST if it cannot have two values. */
export function assertRotatable({ variables, templates }: Stage, name: string): StoredVariable {
  const variable = variables.get(name) ?? throwNotFound(name)
  const [shown, { kind, attributes }] = [JSON.stringify(name), variable]
  if (attributes.rotating)
    throw new ApiError('INVALID_REQUEST', `${shown} is being rotated already: end that first, with either value.`)
  if (kind !== 'secret')
    throw new ApiError(
      'INVALID_REQUEST',
      `${shown} is a roll (expected a secret): only a secret can be rotated gradually.`,
    )
  if (attributes.template)
    throw new ApiError(
      'INVALID_REQUEST',
      `${shown} is a template (expected a secret with its own value): rotate what it names.`,
    )
  const dependents = dependentsOf([name], [...templates])
  if (dependents.length === 0) return variable
  throw new ApiError(
    'INVALID_REQUEST',
    `${shown} cannot have two values, because templates name it: ${listedNames(dependents)}. Rotate it at once, without steps (in the command line without --gradual).`,
  )
}

/** Returns the first step of a rotation. Throws EVALUATION_FAILED, and what `assertRotatable` throws. */
export function beginningOfRotation(
  stage: Stage,
  { name, value, chance }: { readonly name: string; readonly value: string; readonly chance: number },
  log: Log,
): Put {
  const stored = assertRotatable(stage, name)
  const old = openOrFail(stage, log, () => openValue(stage.sealer, stored, 0))
  const kind = 'ab_roll'
  const attributes = { ...attributesOf({ kind, chance, labels }, stored.attributes), rotating: true }
  return {
    name,
    seal: (sealer) => ({
      name,
      kind,
      declaredType: stored.declaredType ?? null,
      attributes: JSON.stringify(attributes),
      sealed: sealValues(sealer, { name, kind }, { values: [value, old] }),
    }),
  }
}

/** Returns a further step of a rotation. Throws INVALID_REQUEST if something else was written since. */
export function stepOfRotation(step: { readonly name: string; readonly chance: number }): Change {
  const { decide, ...change } = changeOfChance(step)
  return {
    ...change,
    decide(stage) {
      assertRotating(stage, step.name)
      return decide(stage)
    },
  }
}

/** Returns the end of a rotation, with the new value or the old one. */
export function endOfRotation(name: string, value: 'new' | 'old', log: Log): Change {
  return {
    action: 'write',
    decide(stage) {
      const { stored, stage: current } = assertRotating(stage, name)
      const kept = openOrFail(current, log, () =>
        openValue(current.sealer, stored, value === 'new' ? newValue : oldValue),
      )
      const kind = 'secret'
      const put: Put = {
        name,
        keepsValues: true,
        seal: (sealer) => ({
          name,
          kind,
          declaredType: stored.declaredType ?? null,
          attributes: JSON.stringify(attributesOf({ kind }, stored.attributes)),
          sealed: sealValues(sealer, { name, kind }, { values: [kept] }),
        }),
      }
      return { puts: [put], deletes: [] }
    },
  }
}

function assertRotating(
  stage: Stage | undefined,
  name: string,
): { readonly stage: Stage; readonly stored: StoredVariable } {
  const stored = stage?.variables.get(name)
  if (stage && stored?.attributes.rotating) return { stage, stored }
  throw new ApiError(
    'INVALID_REQUEST',
    `${JSON.stringify(name)} is not being rotated any more, because something else was written to it: rotate it again.`,
  )
}
