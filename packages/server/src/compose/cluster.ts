/**
 * All cores of a machine as one service: a process that serves nothing itself starts workers, which share the port, and
 * starts another when one dies. Each worker is a node of its own on the database.
 */
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { AggregatorRegistry } from 'prom-client'
import { openInstallation } from './app.ts'
import { isMetricsQuestion } from '../base/worker-metrics.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { memoizeFor } from '../base/memoize-for.ts'
import type { Config } from '../config.ts'

const restartMs = 1_000
const metricsEveryMs = 1_000
/** A worker drains in 8 seconds. */
const patienceMs = 10_000

export interface Cluster {
  readonly setupLink: string | undefined
  /** Ends the workers, each in order. */
  close(): Promise<void>
}

/** Makes the schema and keys, so that the workers find them, and starts the workers. Throws a sentence for the operator. */
export async function startCluster(config: Config, log: Log): Promise<Cluster> {
  const { installation, close } = await openInstallation(config, log)
  const setupLink = await installation.identity?.setupLink().finally(close)
  if (!installation.identity) await close()
  const count = config.WORKERS === 0 ? availableParallelism() : config.WORKERS
  let stopping: Promise<void> | undefined
  const registry = new AggregatorRegistry()
  // The workers ask one by one.
  const metrics = memoizeFor(
    metricsEveryMs,
    () => performance.now(),
    () => registry.clusterMetrics(),
  )

  function start(): Worker {
    const worker = cluster.fork()
    worker.on('message', (message: unknown) => {
      if (!isMetricsQuestion(message)) return
      metrics().then(
        (text) => worker.send({ ...message, text }),
        (error: unknown) => {
          log.warn('the metrics of the workers cannot be had', { reason: reasonOf(error) })
          worker.send({ ...message, text: '' })
        },
      )
    })
    worker.on('exit', (code, signal) => {
      if (stopping) return
      log.error('a worker has ended and is started again', { status: code, reason: signal ?? '' })
      setTimeout(() => stopping ?? start(), restartMs)
    })
    return worker
  }

  try {
    await Promise.all(Array.from({ length: count }, () => listening(start(), config)))
  } catch (error) {
    stopping = stopAll()
    await stopping
    throw error
  }
  return { setupLink, close: () => (stopping ??= stopAll()) }
}

/** Resolves when the worker serves. Throws if it ends before: it has said why. */
function listening(worker: Worker, { METRICS_PORT }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('listening', ({ port }) => port !== METRICS_PORT && resolve())
    worker.once('exit', () => reject(new Error('A worker could not start; it says why above.')))
  })
}

async function stopAll(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(workers.map(stopWorker))
}

async function stopWorker(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit')
  worker.process.kill('SIGTERM')
  const hurry = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs)
  await ended
  clearTimeout(hurry)
}
