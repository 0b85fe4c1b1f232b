/** The token that requests under /v1 carry. */
import type { Settings } from '../service/settings.ts'
import { Problem } from '../service/problem.ts'
import { identity, unwrap } from './client.ts'
import { outsideToken } from './outside-token.ts'

/** Tokens of the built-in provider live 60 seconds; one with less than 15 seconds left may be over on arrival. */
const reusableMs = 45_000

interface EmbeddedToken {
  readonly token: string
  readonly receivedAtMs: number
}

let current: EmbeddedToken | undefined

export async function accessToken(provider: Settings['provider']): Promise<string> {
  return provider === 'embedded' ? embeddedToken() : ownOutsideToken()
}

/** A token names the organization that was active when it was made, so it is over when that changes. */
export function forgetAccessToken(): void {
  current = undefined
}

async function embeddedToken(): Promise<string> {
  if (!current || performance.now() - current.receivedAtMs > reusableMs) {
    const receivedAtMs = performance.now()
    const { token } = await unwrap(identity.$fetch<{ token: string }>('/token'))
    current = { token, receivedAtMs }
  }
  return current.token
}

function ownOutsideToken(): string {
  const token = outsideToken()
  if (!token) throw new Problem({ code: 'UNAUTHORIZED', message: 'The sign-in is over.', status: 401 })
  return token.token
}
