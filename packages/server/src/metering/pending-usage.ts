/** Usage that was counted and is not in the tables of usage yet. */
export interface PendingUsage {
  /** Adds what was counted before this call to the tables: of one organization, or of all. Throws StoreUnavailable. */
  fold(orgId?: string): Promise<void>
}
