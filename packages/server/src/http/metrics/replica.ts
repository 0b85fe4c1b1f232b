import { Gauge, type Metric } from 'prom-client'
import { collectedCounter } from './counter.ts'

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
  const lag = new Gauge({
    name: 'rollkey_replica_lag_seconds',
    help: 'How long the earliest change that the replica lacks has been missing there; 0 if it lacks none',
    registers: [],
    collect() {
      this.set((counts().lagMs ?? 0) / 1_000)
    },
  })
  const replaced = new Gauge({
    name: 'rollkey_replica_replaced',
    help: '1 if another start has replaced this process as the writer of the replica, so that nothing is shipped; otherwise 0',
    registers: [],
    collect() {
      this.set(counts().isReplaced ? 1 : 0)
    },
  })
  const shipped = { objects: 'Segments and snapshots', bytes: 'Bytes' }
  const totals = (['objects', 'bytes'] as const).map((what) =>
    collectedCounter(
      { name: `rollkey_replica_shipped_${what}_total`, help: `${shipped[what]} that the replica took`, labelNames: [] },
      (add) => add(what === 'objects' ? counts().shippedObjects : counts().shippedBytes, {}),
    ),
  )
  return [lag, replaced, ...totals]
}
