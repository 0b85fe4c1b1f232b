import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { Problem } from './problem.ts'

/** `onSignedOut`: told when an answer says that nobody is signed in any more. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof Problem && error.code === 'UNAUTHORIZED') onSignedOut()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
}
