import type { Place, Verb } from '@rollkey/contract'
import type { Caller } from '../auth/authenticate.ts'
import { ApiError } from '../base/api-error.ts'
import { nameOf } from '../base/place-name.ts'
import { tokenName } from '../sessions/token-scope.ts'

/** Returns the refusal of a caller who lacks a verb. It says the same whether or not the place exists. */
export function forbidden(verb: Verb, place: Place, { session }: Pick<Caller, 'session'>): ApiError {
  if (session?.scope) {
    const name = tokenName(session.scope)
    if (verb === 'manage')
      return new ApiError('FORBIDDEN', `A ${name} cannot do this: sign in as an owner or admin of the organization.`)
    if (verb === 'write' && session.scope.role !== 'developer')
      return new ApiError('FORBIDDEN', `The ${name} is read-only: use a token that may write.`)
    return new ApiError(
      'FORBIDDEN',
      `The ${name} does not allow "${verb}" on ${nameOf(place)}: use a token whose role has it there.`,
    )
  }
  return new ApiError('FORBIDDEN', `You need "${verb}" on ${nameOf(place)}: ask ${granters(place)}.`)
}

/** Returns who can grant verbs at a place. */
function granters({ projectSlug }: Place): string {
  if (projectSlug === undefined) return 'an owner or admin of the organization'
  return 'an owner or admin of the organization, or a maintainer of the project'
}
