/** Changes attributes of variables. Their values stay sealed as they are. */
import { attributesOf, kinds, type AttributeChanges, type Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { pack } from '../../stages/payloads.ts'
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
      const { noun, attributes } = kinds[variable.kind]
      if (!attributes.includes('chance')) {
        throw new ApiError(
          'INVALID_REQUEST',
          `The variable ${JSON.stringify(name)} is a ${noun}: only rolls have a chance.`,
        )
      }
      assertRevision(stage, ifRevision)
      return { puts: [putOf(variable, { chance })], deletes: [] }
    },
  }
}

export function changeOfAttributes({ names, ifRevision, exposure, description }: AttributesRequest): Change {
  return {
    action: 'write',
    decide(stage) {
      const variables = names.map((name) => stage?.variables.get(name) ?? throwNotFound(name))
      assertRevision(stage, ifRevision)
      return { puts: variables.map((variable) => putOf(variable, { exposure, description })), deletes: [] }
    },
  }
}

function putOf(
  { name, kind, declaredType, attributes: stored, payloads }: StoredVariable,
  changes: AttributeChanges,
): Put {
  const attributes = JSON.stringify(attributesOf({ kind, ...changes }, stored))
  const state = { name, kind, declaredType: declaredType ?? null, attributes, sealed: pack(payloads) }
  return { name, seal: () => state }
}
