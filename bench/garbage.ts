/**
 * Loaded into a server with `--import`. The first SIGUSR2 begins to measure garbage, and the second one writes two sums in bytes to a file
 * with the process id as its name, in the folder that BENCH_GARBAGE names: what the process allocated, and what of it moved to the old
 * generation.
 */
import { writeFileSync } from 'node:fs'
import { Session, type HeapProfiler } from 'node:inspector'
import path from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'

const folder = process.env['BENCH_GARBAGE'] ?? ''
const samplingInterval = 4_096
const session = new Session()
let isSampling = false
let oldBytes = 0
let movedBytes = 0

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize)
}

/** Adds what the old generation gained since the last collection. A full collection makes it smaller, which counts as nothing. */
function addMoved(): void {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => name === 'old_space')
  const bytes = spaces.reduce((sum, { space_used_size: used }) => sum + used, 0)
  movedBytes += Math.max(0, bytes - oldBytes)
  oldBytes = bytes
}

function write(failed: Error | null, { profile }: HeapProfiler.StopSamplingReturnType): void {
  if (failed) throw failed
  writeFileSync(path.join(folder, String(process.pid)), `${bytesOf(profile.head)} ${movedBytes}\n`)
}

session.connect()
new PerformanceObserver(addMoved).observe({ entryTypes: ['gc'] })
process.on('SIGUSR2', () => {
  isSampling = !isSampling
  addMoved()
  if (!isSampling) return session.post('HeapProfiler.stopSampling', write)
  // Only from then on can garbage of the old generation hold young garbage.
  session.post('HeapProfiler.collectGarbage')
  addMoved()
  movedBytes = 0
  // What was collected as garbage counts too.
  const options = { samplingInterval, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  session.post('HeapProfiler.startSampling', options)
})
