/** Sessions of command-line clients. The service stores them, not the provider. */
export interface ClientSessions {
  /** Returns the number of sessions that a user has, in all organizations. */
  countOf(userId: string): Promise<number>
  /** Revokes all sessions of a user. */
  revokeAllOf(userId: string): Promise<void>
}
