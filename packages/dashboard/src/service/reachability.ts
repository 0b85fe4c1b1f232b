/** Whether the server answers, for the one banner that says so. */
import { useSyncExternalStore } from 'react'

/** `paused`: requests are answered, but changes of others do not arrive. */
export type Reachability = 'reachable' | 'paused' | 'lost'

let isLost = false
let isPaused = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

/** Notes whether a request had an answer, even a refusal. */
export function noteAnswer(isAnswer: boolean): void {
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
