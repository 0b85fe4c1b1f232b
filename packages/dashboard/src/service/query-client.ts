import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { codeOf, hasCode } from './errors.ts'
import { noteAnswer } from './reachability.ts'

/**
 * How long an answer counts as just read. Parts of a page that appear one after another share such an answer instead of asking
 * again. Live events and changes by this page refresh it at once.
 */
export const justReadMs = 5_000

/** Begins the keys of what the viewer is and may do. */
export const whoamiKey = 'whoami'

/** Codes of a person who is signed out or no longer a member of the organization. */
const overCodes = new Set(['UNAUTHORIZED', 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'])

/** Creates the query client. `onOver` runs when an answer shows that the viewer has changed. */
export function createQueryClient(onOver: () => void): QueryClient {
  const onError = (error: unknown): void => {
    // What the viewer may do has changed since the page read it.
    if (hasCode(error, 'FORBIDDEN')) void client.invalidateQueries({ queryKey: [whoamiKey] })
    if (hasCode(error, 'UNREACHABLE')) noteAnswer(false)
    if (overCodes.has(codeOf(error))) onOver()
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
  return client
}
