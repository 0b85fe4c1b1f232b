import type { ClientOptions, TokenSource } from './types.ts'

/** The one form that all forms of a token have. */
export function sourceOf(token: ClientOptions['token']): TokenSource {
  if (typeof token === 'string') return { token: () => Promise.resolve(token) }
  if (typeof token === 'function') return { token: async () => token() }
  return token
}
