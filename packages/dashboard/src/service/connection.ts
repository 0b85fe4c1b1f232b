import { type Api, type ApiOptions, createApi } from '@rollkey/sdk/core'
import { queryOptions } from '@tanstack/react-query'
import { unreachable } from './errors.ts'
import { fetchNoted } from './reachability.ts'

/** Timeout of a request. The API itself limits requests to 30 seconds. */
const timeoutMs = 60_000

/** Connects to the API of the service that this page is from. It does not retry, because the person decides. */
export function connect(token?: ApiOptions['token']): Api {
  return createApi({
    url: location.origin,
    // The page itself arrived the same way.
    allowHttp: true,
    retry: false,
    timeoutMs,
    fetch: (url, init) => fetchNoted(url, { ...init, credentials: 'omit' }),
    ...(token !== undefined && { token }),
  })
}

/** Format of the sum, which must contain nothing else because people paste it into a command. */
const sumLine = /^[0-9a-f]{64} {2}rollkey\.mjs$/

/**
 * Reads the SHA-256 of the command-line client that the service offers, in the format of `sha256sum -c`; null if it is not
 * built.
 */
export const commandLineSumQuery = queryOptions({
  queryKey: ['command-line-sum'],
  queryFn: async ({ signal }): Promise<string | null> => {
    const response = await fetchNoted('/cli/rollkey.mjs.sha256', { credentials: 'omit', signal }).catch(
      (cause: unknown) => {
        throw unreachable(cause)
      },
    )
    const line = (await response.text()).trim()
    return response.ok && sumLine.test(line) ? line : null
  },
  staleTime: 60_000,
})
