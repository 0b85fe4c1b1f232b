/** Opens what records traces and sends them, if the settings name a collector. Otherwise nothing of it is loaded. */
import type { Timer } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { shippedVersion } from '../base/shipped-files.ts'
import type { Config } from '../config.ts'
import type { Site } from '../http/server.ts'
import type { Sql } from '../storage/sql.ts'
import type { Exporter } from '../tracing/exporter.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { Store } from './store.ts'

export interface Tracing {
  readonly tracer: Tracer
  readonly exporter: Exporter
  /** Returns the store whose statements have spans. */
  readonly traced: (sql: Sql, system: 'sqlite' | 'postgresql') => Sql
  close(): Promise<void>
}

/** Returns what records traces; undefined if none are set. */
export async function openTracing({
  config: { TRACES: settings },
  clock,
  log,
}: {
  readonly config: Pick<Config, 'TRACES'>
  readonly clock: Timer
  readonly log: Log
}): Promise<Tracing | undefined> {
  if (!settings) return undefined
  const [{ Exporter }, { Tracer }, { tracedSql }, { traceUpstream }] = await Promise.all([
    import('../tracing/exporter.ts'),
    import('../tracing/tracer.ts'),
    import('../tracing/sql.ts'),
    import('../tracing/upstream.ts'),
  ])
  const { url, headers, sampler } = settings
  const version = shippedVersion()
  const resource = { ...settings.resource, 'service.version': version, 'service.instance.id': crypto.randomUUID() }
  const exporter = new Exporter({ url, headers, source: { resource, version }, clock, log })
  const tracer = new Tracer({ sampler, clock, add: (span) => exporter.add(span) })
  const endUpstream = traceUpstream(tracer)
  return {
    tracer,
    exporter,
    traced: (sql, system) => tracedSql(sql, tracer, system),
    close() {
      endUpstream()
      return exporter.close()
    },
  }
}

/** Returns the store whose statements have spans within requests, if traces are set. */
export function tracedStore(store: Store, tracing: Tracing | undefined): Store {
  if (!tracing) return store
  const { traced } = tracing
  if (!store.shared) return { ...store, sql: traced(store.sql, 'sqlite') }
  return { ...store, sql: traced(store.sql, 'postgresql'), shared: traced(store.shared, 'postgresql') }
}

/** Returns the site whose requests have spans, if traces are set. */
export function tracedSite(site: Site, tracing: Tracing | undefined): Site {
  if (!tracing) return site
  const { tracer } = tracing
  const pages = Object.entries(site.pages).map(([path, answer]) => [path, tracer.traced(answer)] as const)
  return { ...site, pages: Object.fromEntries(pages), api: tracer.traced(site.api) }
}
