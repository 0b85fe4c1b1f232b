/** Reachability of the server, for the banner. */
import { useSyncExternalStore } from 'react'

/**
 * `doubtful`: the last request had no answer, which another one must confirm. `paused`: requests are answered, but changes of
 * others do not arrive.
 */
type Reachability = 'reachable' | 'doubtful' | 'paused' | 'lost'

/** Number of requests without an answer since the last answer. One may fail for another reason than a lost server. */
let failures = 0
let isPaused = false
const listeners = new Set<() => void>()

/** Records that a request had an answer, or that it had none. */
export function noteAnswer(isAnswer: boolean): void {
  const before = current()
  failures = isAnswer ? 0 : failures + 1
  if (current() !== before) notify()
}

/** Records whether live updates are away. */
export function noteLiveUpdates(areAway: boolean): void {
  if (isPaused === areAway) return
  isPaused = areAway
  notify()
}

/** Fetches like `fetch`, and records the answer. Every request of the application goes through it. */
export async function fetchNoted(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  noteAnswer(isOfService(response))
  return response
}

/** Returns whether the service answered, and not a proxy in front of it. */
function isOfService({ status, headers }: Response): boolean {
  const isJson = headers.get('content-type')?.includes('json') ?? false
  return isJson || ![502, 503, 504].includes(status)
}

function notify(): void {
  for (const listener of listeners) listener()
}

function current(): Reachability {
  if (failures > 1) return 'lost'
  if (isPaused) return 'paused'
  return failures === 0 ? 'reachable' : 'doubtful'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useReachability(): Reachability {
  return useSyncExternalStore(subscribe, current)
}
