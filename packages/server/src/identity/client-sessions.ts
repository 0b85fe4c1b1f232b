/** Sessions of command-line clients, which the service keeps, not the provider. */
export interface ClientSessions {
  /** How many a user has, in all organizations. */
  countOf(userId: string): Promise<number>
  /** Ends them all. */
  endAllOf(userId: string): Promise<void>
}
