/**
 * Runs one service on all cores of a machine. A process that serves no requests starts workers, which share the port, and
 * replaces a worker that dies. Each worker is a separate node on the database.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { AggregatorRegistry } from 'prom-client'
import { assertLinkPath, firstStart, type FirstLinks } from './first-start.ts'
import { openInstallation } from './installation.ts'
import { workerStopMs } from './stop-limits.ts'
import { isMetricsRequest } from '../http/metrics/worker-metrics.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { memoizeFor } from '../concurrency/memoize-for.ts'
import type { Config } from '../config.ts'

const restartDelayMs = 1_000
const metricsIntervalMs = 1_000

export interface Cluster extends FirstLinks {
  /** Stops the workers gracefully. */
  close(): Promise<void>
}

/**
 * Creates the schema and the keys, so that the workers find them, and starts the workers. Throws an error with a message for
 * the operator.
 */
export async function startCluster(config: Config, log: Log): Promise<Cluster> {
  assertLinkPath(config)
  const { installation, close } = await openInstallation(config, log)
  const links = await firstStart({ config, log }, installation.identity).finally(close)
  const count = config.WORKERS === 0 ? availableParallelism() : config.WORKERS
  let stopping: Promise<void> | undefined
  const registry = new AggregatorRegistry()
  // Each worker requests the metrics separately.
  const metrics = memoizeFor(
    metricsIntervalMs,
    () => performance.now(),
    () => registry.clusterMetrics(),
  )

  function start(): Worker {
    const worker = cluster.fork()
    worker.on('message', (message: unknown) => {
      if (!isMetricsRequest(message)) return
      metrics().then(
        (text) => worker.send({ ...message, text }),
        (error: unknown) => {
          log.warn('the metrics of the workers are unavailable', { reason: reasonOf(error) })
          worker.send({ ...message, text: '' })
        },
      )
    })
    worker.on('exit', (code, signal) => {
      if (stopping) return
      log.error('a worker exited and will be restarted', { status: code, reason: signal ?? '' })
      setTimeout(() => stopping ?? start(), restartDelayMs)
    })
    return worker
  }

  try {
    await Promise.all(Array.from({ length: count }, () => untilListening(start(), config)))
  } catch (error) {
    stopping = stopAll()
    await stopping
    throw error
  }
  return { ...links, close: () => (stopping ??= stopAll()) }
}

/** Resolves when the worker serves. Rejects if the worker exits first, after it has logged the reason. */
function untilListening(worker: Worker, { METRICS_PORT }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('listening', ({ port }) => port !== METRICS_PORT && resolve())
    worker.once('exit', () => reject(new Error('A worker could not start. Its error is above.')))
  })
}

async function stopAll(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(workers.map(stopWorker))
}

async function stopWorker(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), workerStopMs)
  await ended
  clearTimeout(killTimer)
}
