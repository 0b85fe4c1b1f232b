/** The outside provider's token and what the service reads in it; in memory only, so it is gone after a reload. */

export interface ExternalToken {
  readonly token: string
  readonly expiresAtMs: number
  readonly name?: string | undefined
  readonly userId: string | undefined
  readonly orgSlug: string
}

let current: ExternalToken | undefined

export function keepExternalToken(token: ExternalToken): void {
  current = token
}

export function forgetExternalToken(): void {
  current = undefined
}

/** The token, if it still counts. */
export function outsideToken(): ExternalToken | undefined {
  return current && current.expiresAtMs > Date.now() ? current : undefined
}
