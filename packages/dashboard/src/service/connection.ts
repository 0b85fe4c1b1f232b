import { type Api, type ApiOptions, createApi } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { unreachable } from './errors.ts'

/** The API limits a request to 30 seconds itself. */
const timeoutMs = 60_000

/** Connects to the API of the service that this page is from. A failed call is for the person to repeat. */
export function connect(token?: ApiOptions['token']): Api {
  return createApi({
    url: location.origin,
    // The page itself arrived the same way.
    allowHttp: true,
    retry: false,
    timeoutMs,
    fetch: (url, init) => fetch(url, { ...init, credentials: 'omit' }),
    ...(token !== undefined && { token }),
  })
}

/** Part of a command that people paste: nothing but a sum may be in it. */
const sumLine = /^[0-9a-f]{64} {2}rollkey\.mjs$/

/** The SHA-256 of the command line that the service offers, as `sha256sum -c` reads it; null where it is not built. */
export const commandLineSumQuery = queryOptions({
  queryKey: ['command-line-sum'],
  queryFn: async ({ signal }): Promise<string | null> => {
    const response = await fetch('/cli/rollkey.mjs.sha256', { credentials: 'omit', signal }).catch((cause: unknown) => {
      throw unreachable(cause)
    })
    const line = (await response.text()).trim()
    return response.ok && sumLine.test(line) ? line : null
  },
  staleTime: 60_000,
})
