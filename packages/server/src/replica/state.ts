/** What the service last knew of its replica, in the data directory, for commands that run beside it. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Writer } from './names.ts'

export interface ReplicaState {
  /** `behind`: the replica lacks what is older than it should. `replaced`: another start ships to it. */
  readonly state: 'shipping' | 'behind' | 'replaced'
  readonly atMs: number
  readonly lagMs: number
  readonly lastShippedAtMs: number | undefined
  /** Why the latest attempt failed. */
  readonly problem: string | undefined
  readonly writer: Writer | undefined
  readonly successor: Writer | undefined
}

const fileName = 'replica.json'

/** Writes the state. It is for people, so a disk that cannot take it changes nothing. */
export function recordState(dataDir: string, state: ReplicaState): void {
  try {
    writeFileSync(path.join(dataDir, fileName), JSON.stringify(state), { mode: 0o600 })
  } catch {
    // The log has said it.
  }
}

/** Returns the latest state, or undefined if the service has recorded none. */
export function lastState(dataDir: string): ReplicaState | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, fileName), 'utf8')) as ReplicaState
  } catch {
    return undefined
  }
}
