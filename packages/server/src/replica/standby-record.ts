/** How far a standby is, in its data directory: for its next start, and for commands that run beside it. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'

/** The last object that was applied, and what the next segment continues. */
export interface StandbyPosition {
  readonly writer: number
  readonly number: number
  readonly atMs: number
  /** Checksum of the segment; absent after a snapshot, whose next segment names one that was not read. */
  readonly sha256?: string | undefined
  /** Name of the folder of the store. */
  readonly folder: string
}

export interface StandbyRecord {
  /** `stuck`: it does not follow, for the reason in `problem`. `promoting`: the store is no longer what the replica has. */
  readonly state: 'following' | 'stuck' | 'promoting' | 'promoted'
  readonly position?: StandbyPosition | undefined
  /** Whether segments after the position may be in the store in part, so that only a snapshot helps. */
  readonly isApplying?: boolean | undefined
  /** When the store last had all that the replica had. */
  readonly currentAtMs?: number | undefined
  readonly problem?: string | undefined
}

const fileName = 'standby.json'

/** Writes the record, as a whole or not at all. */
export function writeRecord(dataDir: string, record: StandbyRecord): void {
  const file = path.join(dataDir, fileName)
  const unfinished = openSync(`${file}.unfinished`, 'w', 0o600)
  writeSync(unfinished, JSON.stringify(record))
  fsyncSync(unfinished)
  closeSync(unfinished)
  renameSync(`${file}.unfinished`, file)
  const folder = openSync(dataDir, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Returns the record, or undefined if no standby has run in the data directory. */
export function readRecord(dataDir: string): StandbyRecord | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, fileName), 'utf8')) as StandbyRecord
  } catch {
    return undefined
  }
}
