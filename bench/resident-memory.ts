import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './target.ts'

/** A garbage collection ends within this time, and `/metrics` is collected at most once a second. */
const settleMs = 1_100

/**
 * Node flags for the unmodified service, which collects garbage on a signal. Other kinds of collection keep much of what garbage took,
 * for more garbage.
 */
export const collectOnSignal = [
  '--expose-gc',
  "--import=data:text/javascript,process.on('SIGUSR2',()=>gc({type:'major',execution:'sync',flavor:'last-resort'}))",
]

/** Returns the resident bytes of a service with those flags, after a garbage collection. */
export async function residentBytesOf({ pid, url }: Target): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await sleep(settleMs)
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
