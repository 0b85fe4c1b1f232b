/** Sessions of command-line clients. The service stores them, not the provider. */
export interface ClientSessions {
  /** Returns the number of sessions that a user has, in all organizations. */
  count(userId: string): Promise<number>
  /** Revokes all sessions of a user. */
  revokeAll(userId: string): Promise<void>
}
