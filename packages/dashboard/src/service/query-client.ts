import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { codeOf, hasCode } from './errors.ts'
import { noteAnswer } from './reachability.ts'

/** The person is signed out, or no longer a member of the organization that a token was asked for. */
const overCodes = new Set(['UNAUTHORIZED', 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'])

function onSuccess(): void {
  noteAnswer(true)
}

/** `onOver`: told when an answer says that the viewer is not what the page takes them for. */
export function createQueryClient(onOver: () => void): QueryClient {
  const onError = (error: unknown): void => {
    noteAnswer(!hasCode(error, 'UNREACHABLE'))
    if (overCodes.has(codeOf(error))) onOver()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError, onSuccess }),
    mutationCache: new MutationCache({ onError, onSuccess }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}
