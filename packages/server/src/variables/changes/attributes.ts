/** Changes attributes of variables. Their values stay sealed as they are. */
import { attributesOf, kinds, type AttributeChanges, type Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { packVariable } from '../../stages/payloads.ts'
import { throwNotFound } from '../../stages/stages.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import { assertRevision, type Change, type Put } from './change.ts'

export type ChanceRequest = Pick<Request<'chance'>, 'name' | 'chance' | 'ifRevision'>
export type AttributesRequest = Pick<Request<'attributes'>, 'names' | 'exposure' | 'description' | 'ifRevision'>

export function changeOfChance({ name, chance, ifRevision }: ChanceRequest): Change {
  return {
    action: 'chance',
    decide(stage) {
      const variable = stage?.variables.get(name) ?? throwNotFound(name)
      assertRoll(variable)
      assertRevision(stage, ifRevision)
      return { puts: [putOf(variable, { chance })], deletes: [] }
    },
  }
}

export function changeOfAttributes({ names, ifRevision, exposure, description }: AttributesRequest): Change {
  return {
    action: 'write',
    subject: partsOf({ exposure, description }),
    decide(stage) {
      const variables = names.map((name) => stage?.variables.get(name) ?? throwNotFound(name))
      assertRevision(stage, ifRevision)
      return { puts: variables.map((variable) => putOf(variable, { exposure, description })), deletes: [] }
    },
  }
}

type Parts = Readonly<
  Partial<Record<'labels' | 'rules' | 'pins' | 'pin' | 'unpin' | 'exposure' | 'description', unknown>>
>

/** Names what an update changes, such as `rules,pins`, for the audit log. */
export function partsOf({ labels, rules, pins, pin, unpin, exposure, description }: Parts): string {
  const parts = { labels, rules, pins: [pins, pin, unpin].find((each) => each !== undefined), exposure, description }
  return Object.entries(parts)
    .flatMap(([part, value]) => (value === undefined ? [] : [part]))
    .join()
}

/** Throws INVALID_REQUEST unless the variable is a roll. */
export function assertRoll({ name, kind }: StoredVariable): void {
  const { noun, attributes } = kinds[kind]
  if (attributes.includes('chance')) return
  throw new ApiError('INVALID_REQUEST', `The variable ${JSON.stringify(name)} is a ${noun}: only rolls have a chance.`)
}

function putOf(
  { name, kind, declaredType, attributes: stored, payloads, sealedPins }: StoredVariable,
  changes: AttributeChanges,
): Put {
  const attributes = JSON.stringify(attributesOf({ kind, ...changes }, stored))
  const sealed = packVariable({ payloads, sealedPins })
  const state = { name, kind, declaredType: declaredType ?? null, attributes, sealed }
  return { name, seal: () => state }
}
