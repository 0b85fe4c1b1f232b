import type { Metric } from 'prom-client'
import type { ReplicaMetrics } from '../../replica/shipper.ts'
import { collectedCounter, collectedGauge } from './collected.ts'

/** Returns the metrics of the replica. */
export function replicaMetrics(counts: () => ReplicaMetrics): Metric[] {
  return [
    collectedGauge('rollkey_replica_lag_seconds', 'max', (set) => set((counts().lagMs ?? 0) / 1_000)),
    collectedGauge('rollkey_replica_replaced', 'max', (set) => set(counts().isReplaced ? 1 : 0)),
    collectedCounter('rollkey_replica_shipped_objects_total', (add) => add(counts().shippedObjects, {})),
    collectedCounter('rollkey_replica_shipped_bytes_total', (add) => add(counts().shippedBytes, {})),
  ]
}
