import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { codeOf, hasCode } from './errors.ts'

/** Codes of a person who is signed out or no longer a member of the organization. */
const overCodes = new Set(['UNAUTHORIZED', 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION'])

function onSuccess(): void {
  noteAnswer(true)
}

/** Creates the query client. `onOver` runs when an answer shows that the viewer has changed. */
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

/** Reachability of the server, for the banner. */

/** `paused`: requests are answered, but changes of others do not arrive. */
type Reachability = 'reachable' | 'paused' | 'lost'

let isLost = false
let isPaused = false
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

/** Records whether a request had an answer, even an error. */
function noteAnswer(isAnswer: boolean): void {
  if (isLost === !isAnswer) return
  isLost = !isAnswer
  notify()
}

/** Records whether live updates are away. */
export function noteLiveUpdates(areAway: boolean): void {
  if (isPaused === areAway) return
  isPaused = areAway
  notify()
}

function current(): Reachability {
  if (isLost) return 'lost'
  return isPaused ? 'paused' : 'reachable'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useReachability(): Reachability {
  return useSyncExternalStore(subscribe, current)
}
