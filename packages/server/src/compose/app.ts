/** Starts the service: opens the store and the services, listens, and stops in order. */
import cluster from 'node:cluster'
import type { Server } from 'node:http'
import type { AuditStream } from '../audit/stream/audit-stream.ts'
import { runOn } from '../operator/in-server.ts'
import { OutboxWorker, type Outbox } from '../outbox/outbox-worker.ts'
import { readOutboxes } from '../outbox/waiting.ts'
import { serveOperator } from '../operator/socket.ts'
import { Authentication } from '../auth/authenticate.ts'
import { systemClock, type Timer } from '../base/clock.ts'
import { countedLog, type CountedLog, type Log } from '../base/log.ts'
import { shippedFiles, shippedVersion } from '../base/shipped-files.ts'
import { clientLimitsOf, connectionBoundsOf } from './client-limits.ts'
import { auditRetentionOf, type Config } from '../config.ts'
import { auditStreamOf, requiringStream } from './audit-stream.ts'
import { retryWhileUnavailable } from '../concurrency/retry-while-unavailable.ts'
import { openBilling } from './counting.ts'
import { openReplica } from './replica.ts'
import { openTracing, tracedSite, tracedStore, type Tracing } from './tracing.ts'
import type { Writer } from '../replica/names.ts'
import { originOf, publicUrlOf, type Platform } from './platform.ts'
import { Housekeeping } from './housekeeping.ts'
import { commandLinePages } from '../http/pages/command-line.ts'
import { operationPages } from '../http/pages/operations.ts'
import { Cors } from '../http/cors.ts'
import { Funnel } from '../http/funnel.ts'
import type { DialectRoute } from '../http/dialect.ts'
import { oauthRoutes } from '../http/oauth/routes.ts'
import { ofrepEventRoutes } from '../http/ofrep/event-routes.ts'
import { flagManifestRoutes } from '../http/ofrep/manifest-route.ts'
import { ofrepRoutes } from '../http/ofrep/routes.ts'
import type { StepServices } from '../http/steps/index.ts'
import { vaultRoutes } from '../http/vault/routes.ts'
import { Metrics } from '../http/metrics/metrics.ts'
import { metricsPage, notFound } from '../http/pages/metrics-page.ts'
import { atOwnHost } from '../http/pages/own-host.ts'
import { HttpServer, type Answer, type Pages, type Site } from '../http/server.ts'
import { documentation } from '../http/pages/documentation.ts'
import { webApplication } from '../http/pages/web-application.ts'
import { ScryptHasher, type PasswordHasher } from '../identity/password-hasher.ts'
import { identityPages, providerTokensOf, warnOfGaps, webOf } from './people.ts'
import { Readiness } from './readiness.ts'
import { assertLinkPath, firstStart, type FirstLinks } from './first-start.ts'
import { openStore } from './store.ts'
import { assertRecipient, installationOf } from './installation.ts'
import { openServices, type AppServices } from './services.ts'
import { drainMs } from './stop-limits.ts'

export interface App extends FirstLinks {
  /** Address at which the service listens, such as http://127.0.0.1:8787. */
  readonly url: string
  /** URL at which people reach the service, without a trailing slash. */
  readonly publicUrl: string
  /** Finishes started requests, stores buffered data and closes. Another call waits for the same shutdown. */
  close(): Promise<void>
}

/**
 * Opens everything and listens. `writer`: what the process became in the replica as a standby. Throws an error with a message for the
 * operator.
 */
export async function startApp(
  config: Config,
  plainLog: Log,
  clock: Timer = systemClock,
  passwordHasher: PasswordHasher = new ScryptHasher(),
  writer?: Writer,
): Promise<App> {
  const log = countedLog(plainLog)
  await assertRecipient(config)
  assertLinkPath(config)
  const store = await openStore(config, clock, log)
  const limits = { connections: connectionBoundsOf(config) }
  const server = new HttpServer(log, limits)
  const metricsServer = config.METRICS_PORT === undefined ? undefined : new HttpServer(log, limits)
  try {
    await metricsServer?.listen(config.HOST, config.METRICS_PORT ?? 0, 'ROLLKEY_METRICS_PORT')
    const port = await server.listen(config.HOST, config.PORT)
    const tracing = await openTracing({ config, clock, log })
    const traced = tracedStore(store, tracing)
    const publicUrl = publicUrlOf(config, port)
    const platform = { config, log, clock, store: traced, passwordHasher, publicUrl, writer }
    return await serve(platform, { log, tracing }, { server, metricsServer }, originOf(config.HOST, port))
  } catch (error) {
    await Promise.all([server.drain(0), metricsServer?.drain(0)])
    await store.close()
    throw error
  }
}

function readinessOf(platform: Platform, server: HttpServer): () => Promise<boolean> {
  const readiness = new Readiness(platform)
  return async () => !server.isDraining && readiness.isReady()
}

function housekeepingOf(
  { config, store: { sql }, clock, log }: Platform,
  { sessions, checkpoints, identity, rollCounts, lastEvaluations, refusals, nodeRows, ...services }: AppServices,
): Housekeeping {
  return new Housekeeping({
    sql,
    buffering: [sessions, rollCounts, lastEvaluations, refusals],
    checkpoints,
    identity,
    nodeRows,
    clock,
    log,
    historyDays: config.HISTORY_DAYS,
    retention: { usageDays: config.USAGE_DAYS, changeDays: config.AUDIT_DAYS },
    auditRetention: auditRetentionOf(config),
    noticesOf: {
      overdueOf: (orgId) => services.overdueVariables.list(orgId),
      misfitsOf: (orgId) => services.rolls.misfits(orgId, () => true),
    },
  })
}

/** What sends to other systems. Undefined where none is set. */
interface Senders {
  readonly billing: Awaited<ReturnType<typeof openBilling>>
  readonly stream: AuditStream | undefined
  readonly replica: Awaited<ReturnType<typeof openReplica>>
  readonly tracing: Tracing | undefined
}

/** Starts what no request waits for. `stop` ends it, and `finish` stores or sends what is in memory after the last request. */
function startWork(
  platform: Platform,
  services: AppServices,
  { billing, stream, replica, tracing }: Senders,
): { stop: () => Promise<unknown>; finish: () => Promise<unknown> } {
  const { changeWorker, hookOutbox, mails } = services
  const outboxes: (Outbox | undefined)[] = [hookOutbox, mails?.logReader, mails?.outbox, stream, billing]
  const outboxWorker = new OutboxWorker({
    ...platform,
    sql: platform.store.sql,
    outboxes: outboxes.filter((each) => each !== undefined),
  })
  const housekeeping = housekeepingOf(platform, services)
  billing?.start()
  outboxWorker.start()
  changeWorker.start()
  replica?.start()
  return {
    stop() {
      housekeeping.stop()
      stream?.close()
      return Promise.all([billing?.close(), outboxWorker.close(), changeWorker.close()])
    },
    finish: () => Promise.all([housekeeping.finish(), tracing?.close()]),
  }
}

interface Servers {
  readonly server: HttpServer
  /** Server of the separate metrics port, if one is set. */
  readonly metricsServer: HttpServer | undefined
}

/** Serves the metrics at their separate port, if one is set. Returns the /metrics page of the main port. */
function openMetrics({ config }: Platform, metricsServer: HttpServer | undefined, metrics: Metrics): Answer {
  const page = metricsPage(metrics, config.METRICS_TOKEN)
  if (!metricsServer) return page
  metricsServer.open({ pages: { '/metrics': page }, document: notFound, api: notFound })
  return notFound
}

/** Adds the built files to the pages. Serves the web application and the documentation only at the host of the public URL. */
function siteOf(
  { publicUrl, tracing }: Platform & { readonly tracing: Tracing | undefined },
  pages: Pages,
  api: Answer,
): Site {
  const { document, assets } = webApplication(() => shippedFiles('dashboard'), publicUrl)
  const ownDocument = atOwnHost(publicUrl, document)
  const docs = atOwnHost(
    publicUrl,
    documentation(() => shippedFiles('docs'), publicUrl),
  )
  const files = {
    ...commandLinePages(() => shippedFiles('cli')),
    '/': ownDocument,
    '/assets/': atOwnHost(publicUrl, assets),
    '/docs': docs,
    '/docs/': docs,
  }
  return tracedSite({ pages: { ...pages, ...files }, document: ownDocument, api }, tracing)
}

/** Returns the paths that follow other standards than the API. */
function dialectsOf(
  { config, publicUrl }: Platform,
  services: AppServices,
  steps: StepServices,
  isReady: () => Promise<boolean>,
): readonly DialectRoute[] {
  const vault = { isReady, version: shippedVersion(), secretProject: config.VAULT_SECRET_PROJECT }
  return [
    ...oauthRoutes({ ...steps, tokenExchange: services.tokenExchange, publicUrl }),
    ...ofrepRoutes({ ...services, ...steps }),
    ...ofrepEventRoutes({ ...services, ...steps }),
    ...flagManifestRoutes(steps),
    ...vaultRoutes({ ...services, ...steps, ...vault }),
  ]
}

/** Returns what the services and senders count. */
function countsOf(
  { config, store, clock }: Platform,
  { meter, rounds, hookOutbox, mails, identity }: AppServices,
  { billing, stream, replica, tracing }: Senders,
) {
  return {
    billing: billing?.metrics,
    auditStream: stream?.metrics,
    outboxes: () => readOutboxes(store.sql, { hasAuditStream: stream !== undefined }),
    replica,
    traces: tracing?.exporter,
    ledger: meter.counts,
    rounds,
    database: store.watch,
    hooks: hookOutbox.metrics,
    mails: mails?.outbox.metrics,
    signIns: identity?.signIns,
    dataDir: store.journal && config.DATA_DIR,
    clock,
  }
}

/** Serves commands of the operator on the embedded store. */
async function openSocket(platform: Platform, services: AppServices): Promise<Server | undefined> {
  const { config, store, log } = platform
  return store.journal && serveOperator(config.DATA_DIR, runOn(installationOf(platform, services, true)), log)
}

async function serve(
  platform: Platform & { readonly writer: Writer | undefined },
  { log, tracing }: { readonly log: CountedLog; readonly tracing: Tracing | undefined },
  { server, metricsServer }: Servers,
  url: string,
): Promise<App> {
  const { config, clock, store, publicUrl } = platform
  const stream = auditStreamOf(platform)
  const services = await openServices(requiringStream(platform, stream))
  const { access, sessions, members, organizations, identity, validator } = services
  const providerTokens = providerTokensOf(platform, identity)
  const replica = await openReplica(platform, services.keyring, platform.writer)
  await retryWhileUnavailable(async () => services.nodeRows?.open())
  const senders = { billing: await openBilling(platform, services.pending), stream, replica, tracing }
  const limits = clientLimitsOf(platform)
  const isReady = readinessOf(platform, server)
  const counts = { ...countsOf(platform, services, senders), refused: limits.rateLimits.refused }
  const metrics = new Metrics({ ...counts, isReady, log })
  const observer = tracing?.tracer.observing(metrics) ?? metrics
  const web = await webOf(platform, identity, providerTokens)
  const authentication = new Authentication({ providerTokens, sessions, members, organizations, clock })
  const personOf = async (userId: string) => identity?.person(userId)
  const cors = new Cors(config.CORS_ORIGINS.includes('*') ? undefined : config.CORS_ORIGINS)
  const stepServices = { authentication, access, validator, clock, stages: services.stages, ...limits, cors }
  const funnel = new Funnel({
    ...stepServices,
    services: { ...services, authentication, replica, clock, publicUrl, web, personOf },
    dialects: dialectsOf(platform, services, stepServices, isReady),
    observer,
    refusals: services.refusals,
    log,
  })
  const pages = {
    ...operationPages({ metrics: openMetrics(platform, metricsServer, metrics), isReady }),
    ...identityPages(platform, identity, { ...limits, observer }),
  }
  // The process that starts workers has done it for them.
  const links = await firstStart(platform, cluster.isPrimary ? identity : undefined)
  server.open(siteOf({ ...platform, tracing }, pages, (request, response) => funnel.handle(request, response)))
  const socket = await openSocket(platform, services)
  const work = startWork(platform, services, senders)
  warnOfGaps(platform)
  log.info('serving', { url: publicUrl, address: new URL(url).host })

  async function stop(): Promise<void> {
    log.info('stopping')
    services.subscriptions.close()
    await Promise.all([server.drain(drainMs), metricsServer?.drain(drainMs), work.stop()])
    await work.finish()
    socket?.close()
    await replica?.close()
    await identity?.close()
    await store.close()
    replica?.closeFiles()
    log.info('stopped')
  }
  let stopping: Promise<void> | undefined
  return { url, publicUrl, ...links, close: () => (stopping ??= stop()) }
}
