/** The outside provider's token and what the service reads in it; in memory only, so it is gone after a reload. */

export interface OutsideToken {
  readonly token: string
  readonly expiresAtMs: number
  readonly name?: string | undefined
  readonly userId: string | undefined
  readonly orgSlug: string
}

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
