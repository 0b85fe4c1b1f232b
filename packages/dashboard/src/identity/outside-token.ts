/** The outside provider's token; in memory only, so it is gone after a reload. */
import type { Response } from '@rollkey/contract'

type OutsideToken = Omit<Response<'webToken'>, 'requestId'>

let current: OutsideToken | undefined

export function keepOutsideToken(token: OutsideToken): void {
  current = token
}

export function forgetOutsideToken(): void {
  current = undefined
}

/** The token, if it still counts. */
export function outsideToken(): OutsideToken | undefined {
  return current && current.expiresAtMs > Date.now() ? current : undefined
}
