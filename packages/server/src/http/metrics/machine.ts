/** What the service has of its machine: memory and, with the embedded store, disk. */
import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Metric } from 'prom-client'
import { memoryLimit } from '../../base/memory-limit.ts'
import { collectedGauge } from './collected.ts'

/** `dataDir`: the folder of the embedded store; undefined over PostgreSQL. */
export function machineMetrics(dataDir: string | undefined): Metric[] {
  const memory = collectedGauge('rollkey_memory_limit_bytes', 'max', (set) => set(memoryLimit()))
  if (dataDir === undefined) return [memory]
  // A disk that fails must not take the other metrics with it.
  const disk = (): Promise<StatsFs | undefined> => statfs(dataDir).catch(() => undefined)
  const size = collectedGauge('rollkey_data_dir_size_bytes', 'max', async (set) => {
    const found = await disk()
    if (found) set(found.blocks * found.bsize)
  })
  const free = collectedGauge('rollkey_data_dir_free_bytes', 'min', async (set) => {
    const found = await disk()
    if (found) set(found.bavail * found.bsize)
  })
  return [memory, size, free]
}
