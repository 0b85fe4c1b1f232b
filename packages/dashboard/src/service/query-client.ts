import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { codeOf, hasCode } from './errors.ts'

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

/** Whether the server answers, for the one banner that says so. */

/** `paused`: requests are answered, but changes of others do not arrive. */
type Reachability = 'reachable' | 'paused' | 'lost'

let isLost = false
let isPaused = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** Notes whether a request had an answer, even a refusal. */
function noteAnswer(isAnswer: boolean): void {
  if (isLost === !isAnswer) return
  isLost = !isAnswer
  tell()
}

/** Notes whether live updates are away. */
export function noteLiveUpdates(areAway: boolean): void {
  if (isPaused === areAway) return
  isPaused = areAway
  tell()
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
