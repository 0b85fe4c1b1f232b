/** Changes the chance of a roll. Its values stay sealed as they are. */
import { kinds, type Request } from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import { pack } from '../../stages/payloads.ts'
import { throwNotFound } from '../../stages/stages.ts'
import { assertRevision, type Change } from './change.ts'

export type ChanceRequest = Pick<Request<'chance'>, 'name' | 'chance' | 'ifRevision'>

export function changeOfChance({ name, chance, ifRevision }: ChanceRequest): Change {
  return {
    action: 'chance',
    decide(stage) {
      const { kind, declaredType, attributes: before, payloads } = stage?.variables.get(name) ?? throwNotFound(name)
      if (!kinds[kind].attributes.includes('chance')) {
        throw new ApiError(
          'INVALID_REQUEST',
          `The variable ${JSON.stringify(name)} is a ${kinds[kind].noun}: only rolls have a chance.`,
        )
      }
      assertRevision(stage, ifRevision)
      const attributes = JSON.stringify({ ...before, chance })
      const state = { name, kind, declaredType: declaredType ?? null, attributes, sealed: pack(payloads) }
      return { puts: [{ name, seal: () => state }], deletes: [] }
    },
  }
}
