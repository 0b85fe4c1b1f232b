import type { Metric } from 'prom-client'
import { collectedCounter, collectedGauge } from './collected.ts'

/** What is shipped to the replica of the embedded store. */
export interface ReplicaCounts {
  /** How long the earliest change that the replica lacks has been missing. Undefined if it lacks none. */
  readonly lagMs: number | undefined
  /** Whether another start has replaced this process as the writer of the replica. */
  readonly isReplaced: boolean
  readonly shippedObjects: number
  readonly shippedBytes: number
}

/** Returns the metrics of the replica. */
export function replicaMetrics(counts: () => ReplicaCounts): Metric[] {
  return [
    collectedGauge('rollkey_replica_lag_seconds', 'max', (set) => set((counts().lagMs ?? 0) / 1_000)),
    collectedGauge('rollkey_replica_replaced', 'max', (set) => set(counts().isReplaced ? 1 : 0)),
    collectedCounter('rollkey_replica_shipped_objects_total', (add) => add(counts().shippedObjects, {})),
    collectedCounter('rollkey_replica_shipped_bytes_total', (add) => add(counts().shippedBytes, {})),
  ]
}
