/** What waits to be sent to one kind of receiver, for the metrics and the operator's command. */
export interface OutboxState {
  readonly outbox: string
  readonly waiting: number
  readonly setAside: number
  readonly oldestAtMs: number | undefined
}
