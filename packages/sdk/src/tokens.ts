import type { ClientOptions, TokenSource } from './types.ts'

/** Returns a token source for any form of the `token` option. */
export function tokenSource(token: ClientOptions['token']): TokenSource {
  if (typeof token === 'string') return { token: () => Promise.resolve(token) }
  if (typeof token === 'function') return { token: async () => token() }
  return token
}
