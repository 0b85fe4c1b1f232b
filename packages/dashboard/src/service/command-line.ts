import { queryOptions } from '@tanstack/react-query'
import { unreachable } from './errors.ts'

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
