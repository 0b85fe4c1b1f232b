import type { TokenPair } from '../device.ts'

/** The key of a session. There is one session per service and organization. */
export interface SessionKey {
  /** Address of the service, as `resolveSettings` returns it. */
  readonly url: string
  /** Slug of the organization. */
  readonly orgSlug: string
}

/** A stored session with its tokens. */
export interface Session extends SessionKey, TokenPair {
  /** When a refresh began that is in progress or whose answer was lost, Unix time in milliseconds. Absent: none. */
  readonly refreshStartedAtMs?: number | undefined
  /**
   * Random text for the option `secret` of `fileSnapshot`, so that snapshots of this user become unreadable with the end of the session.
   * `Credentials` creates it and stores it with the tokens. Absent: the session is not stored yet.
   */
  readonly snapshotKey?: string | undefined
}
