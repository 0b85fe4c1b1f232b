/**
 * Loaded into a server with `--import`. The first SIGUSR2 begins to sample what the process allocates, and the second one writes the sum in
 * bytes to a file with the process id as its name, in the folder that BENCH_GARBAGE names.
 */
import { writeFileSync } from 'node:fs'
import { Session, type HeapProfiler } from 'node:inspector'
import path from 'node:path'

const folder = process.env['BENCH_GARBAGE'] ?? ''
const samplingInterval = 4_096
const session = new Session()
let isSampling = false

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize)
}

function write(failed: Error | null, { profile }: HeapProfiler.StopSamplingReturnType): void {
  if (failed) throw failed
  writeFileSync(path.join(folder, String(process.pid)), `${bytesOf(profile.head)}\n`)
}

session.connect()
process.on('SIGUSR2', () => {
  isSampling = !isSampling
  // What was collected as garbage counts too.
  const options = { samplingInterval, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
  if (isSampling) session.post('HeapProfiler.startSampling', options)
  else session.post('HeapProfiler.stopSampling', write)
})
