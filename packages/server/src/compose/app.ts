/** The composition root: the only file that sees all rooms. */
import { fileURLToPath } from 'node:url'
import type { Installation } from '../admin/command.ts'
import { serveAdmin } from '../admin/socket.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { Checkpoints } from '../audit/checkpoints.ts'
import { Refusals } from '../audit/refusals.ts'
import { Authentication } from '../auth/authenticate.ts'
import { Organizations } from '../auth/organizations.ts'
import type { Members } from '../auth/external-members.ts'
import { sealFor } from '../backup/age.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { clientLimitsOf, connectionBoundsOf } from './client-limits.ts'
import { auditRetentionOf, type Config } from '../config.ts'
import { countingOf, openOutbox, planOf } from './counting.ts'
import { unitOf } from '../evaluation/bucket.ts'
import { Digests } from '../evaluation/digests.ts'
import { Evaluation } from '../evaluation/evaluate.ts'
import { originOf, publicUrlOf, type Platform } from './platform.ts'
import { Housekeeping } from './housekeeping.ts'
import { commandLinePages } from '../http/pages/command-line.ts'
import { Cors } from '../http/cors.ts'
import { createHandlers } from '../http/endpoints/index.ts'
import { Funnel } from '../http/funnel.ts'
import { Metrics } from '../http/metrics/metrics.ts'
import { metricsPage, notFound } from '../http/pages/metrics-page.ts'
import { operationPages } from '../http/pages/operations.ts'
import { atOwnHost } from '../http/pages/own-host.ts'
import { HttpServer, type Answer, type Pages, type Site } from '../http/server.ts'
import { webApplication } from '../http/pages/web-application.ts'
import { ScryptHasher, type PasswordHasher } from '../identity/password-hasher.ts'
import { openKeyring } from './keys.ts'
import { Ledger } from '../metering/ledger.ts'
import { Usage } from '../metering/usage.ts'
import { identityPages, openIdentity, externalMembers, providerTokensOf, warnOfGaps, webOf } from './people.ts'
import { DeviceCodes } from '../sessions/device-codes.ts'
import { Creators } from '../sessions/creators.ts'
import { ServiceTokens } from '../sessions/service-tokens.ts'
import { Sessions, type AskMembership } from '../sessions/sessions.ts'
import type { Sql } from '../storage/sql.ts'
import { openStore } from './store.ts'
import { Copies } from '../variables/changes/copy.ts'
import { Restores } from '../history/restore.ts'
import { History } from '../history/history.ts'
import { Projects } from '../stages/projects.ts'
import { Search } from '../stages/search.ts'
import { Reveal } from '../variables/reveal.ts'
import { RollCounts } from '../evaluation/roll-counts.ts'
import { Stages } from '../stages/stages.ts'
import { Subscriptions } from '../live/subscriptions.ts'
import { VariableWriter } from '../variables/write.ts'

const drainMs = 8_000
const dashboard = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url))
const commandLine = fileURLToPath(new URL('../../../cli/dist/rollkey.js', import.meta.url))

export interface App {
  /** Address at which the service listens, such as http://127.0.0.1:8787. */
  readonly url: string
  /** One-time link that creates the first account; undefined if an account exists. */
  readonly setupLink: string | undefined
  /** Finishes started requests, stores what is in memory and closes. Another call waits for the same stop. */
  close(): Promise<void>
}

/** The services that both the server and an offline command need. */
async function openServices(platform: Platform) {
  const { store, clock, log } = platform
  const { sql } = store
  const keyring = await openKeyring(platform)
  const { counter, validator, rounds } = countingOf(platform)
  const organizations = new Organizations(sql, clock)
  // The provider ends sessions, and sessions look up its members.
  const askMembership: AskMembership = (org, user) => members.checkNow(org, user)
  const sessions = new Sessions({ sql, validator, clock, log, askMembership })
  const identity = await openIdentity(platform, { keyring, validator, organizations, sessions })
  const members: Members = identity?.members ?? externalMembers(platform)
  const canAsk = identity !== undefined || platform.config.IDP_MEMBERSHIP_URL !== undefined
  const creators = new Creators(canAsk ? askMembership : undefined)
  const serviceTokens = new ServiceTokens({
    sql,
    sessions,
    clock,
    maxDays: platform.config.SERVICE_TOKEN_DAYS,
    creators,
  })
  const checkpoints = new Checkpoints({ sql, keyring, clock, log })
  return { keyring, rounds, counter, validator, identity, members, sessions, serviceTokens, organizations, checkpoints }
}

type AppServices = Awaited<ReturnType<typeof openServices>>

/** Creates the services that work with variables. */
function variableServices(
  { config, store: { sql, journal }, clock, log }: Platform,
  { keyring, counter, validator }: AppServices,
) {
  const meter = new Ledger(counter, planOf(config))
  const deviceCodes = new DeviceCodes({ sql, keyring, clock, maxPending: config.MAX_PENDING_LOGINS_PER_IP })
  const stages = new Stages({ sql, keyring, validator })
  const maxSize = { variables: config.STAGE_VARIABLES, bytes: config.STAGE_BYTES }
  const writer = new VariableWriter({ sql, stages, keyring, meter, clock, maxSize })
  const changes = {
    copies: new Copies({ stages, log }),
    restores: new Restores(sql),
    reveal: new Reveal({ sql, stages, clock, log }),
    history: new History({ sql, keyring }),
  }
  const rollCounts = new RollCounts({ sql, clock })
  const auditLog = new AuditLog(sql)
  const refusals = new Refusals(sql, clock)
  const evaluation = new Evaluation({ stages, meter, rollCounts, dice: { unitOf, random: Math.random }, log })
  const digests = new Digests({ keyring, log })
  const projects = new Projects({ sql, keyring, stages, clock })
  const search = new Search(sql)
  const subscriptions = new Subscriptions({ sql, log, perHolder: config.MAX_STREAMS_PER_CREDENTIAL })
  const usage = new Usage({ sql, journal, plan: planOf(config), clock })
  return {
    meter,
    deviceCodes,
    projects,
    search,
    subscriptions,
    usage,
    stages,
    writer,
    evaluation,
    digests,
    ...changes,
    rollCounts,
    auditLog,
    refusals,
  }
}

function installationOf(
  { config, store, clock }: Pick<Platform, 'config' | 'store' | 'clock'>,
  services: AppServices & ReturnType<typeof variableServices>,
  serving: boolean | undefined,
): Installation {
  const { DATA_DIR, DATABASE_URL, BACKUP_RECIPIENT } = config
  return {
    sql: store.sql,
    journal: store.journal,
    clock,
    ...services,
    embeddedFolder: DATABASE_URL === undefined ? DATA_DIR : undefined,
    backupRecipient: BACKUP_RECIPIENT,
    auditRetention: auditRetentionOf(config),
    serving,
  }
}

/** Opens the store for a command while no server uses it. Throws an error with a message for the operator. */
export async function openInstallation(
  config: Config,
  log: Log,
): Promise<{ installation: Installation; close: () => Promise<void> }> {
  const clock = systemClock
  await assertRecipient(config)
  const store = await openStore(config, clock, log)
  try {
    const publicUrl = publicUrlOf(config, config.PORT)
    const platform: Platform = { config, log, clock, store, passwordHasher: new ScryptHasher(), publicUrl }
    const services = await openServices(platform)
    const serving = config.DATABASE_URL === undefined ? false : undefined
    const installation = installationOf(platform, { ...services, ...variableServices(platform, services) }, serving)
    const close = async (): Promise<void> => {
      await services.identity?.close()
      await store.close()
    }
    return { installation, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens everything and listens. Throws an error with a message for the operator. */
export async function startApp(
  config: Config,
  log: Log,
  clock: Clock = systemClock,
  passwordHasher: PasswordHasher = new ScryptHasher(),
): Promise<App> {
  await assertRecipient(config)
  const store = await openStore(config, clock, log)
  const limits = { connections: connectionBoundsOf(config) }
  const server = new HttpServer(log, limits)
  const metricsServer = config.METRICS_PORT === undefined ? undefined : new HttpServer(log, limits)
  try {
    await metricsServer?.listen(config.HOST, config.METRICS_PORT ?? 0, 'ROLLKEY_METRICS_PORT')
    const port = await server.listen(config.HOST, config.PORT)
    const platform: Platform = { config, log, clock, store, passwordHasher, publicUrl: publicUrlOf(config, port) }
    return await serve(platform, { server, metricsServer }, originOf(config.HOST, port))
  } catch (error) {
    await Promise.all([server.drain(0), metricsServer?.drain(0)])
    await store.close()
    throw error
  }
}

/** Checks the backup recipient at start, before the first backup. Throws an error with a message for the operator. */
async function assertRecipient({ BACKUP_RECIPIENT }: Config): Promise<void> {
  if (BACKUP_RECIPIENT !== undefined) await sealFor(BACKUP_RECIPIENT, 'ROLLKEY_BACKUP_RECIPIENT')
}

async function isReady(server: HttpServer, sql: Sql): Promise<boolean> {
  if (server.isDraining) return false
  return sql.all('select 1').then(
    () => true,
    () => false,
  )
}

function housekeepingOf(
  { config, store: { sql }, clock, log }: Platform,
  { sessions, checkpoints, identity }: AppServices,
  { rollCounts, refusals }: ReturnType<typeof variableServices>,
): Housekeeping {
  return new Housekeeping({
    sql,
    buffering: [sessions, rollCounts, refusals],
    checkpoints,
    identity,
    clock,
    log,
    historyDays: config.HISTORY_DAYS,
    auditRetention: auditRetentionOf(config),
  })
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

/** Adds the files of the builds to the pages. Serves the web application only at the host of the public URL. */
function siteOf({ publicUrl }: Platform, pages: Pages, api: Answer): Site {
  const { document, assets } = webApplication(dashboard, publicUrl)
  const own = atOwnHost(publicUrl, document)
  const files = { ...commandLinePages(commandLine), '/': own, '/assets/': atOwnHost(publicUrl, assets) }
  return { pages: { ...pages, ...files }, document: own, api }
}

async function serve(platform: Platform, { server, metricsServer }: Servers, url: string): Promise<App> {
  const { config, log, clock, store, publicUrl } = platform
  const services = await openServices(platform)
  const { sessions, members, organizations, identity, validator } = services
  const providerTokens = providerTokensOf(platform, identity)
  const variables = variableServices(platform, services)
  const outbox = await openOutbox(platform)
  const limits = clientLimitsOf(platform)
  const metrics = new Metrics({
    ledger: variables.meter.counts,
    refused: limits.rateLimits.refused,
    rounds: services.rounds,
    outbox: outbox?.figures,
    signIns: identity?.signIns,
    clock,
  })
  const web = await webOf(platform, identity, providerTokens)
  const authentication = new Authentication({ providerTokens, sessions, members, organizations })
  const personOf = async (userId: string) => identity?.person(userId)
  const funnel = new Funnel({
    handlers: createHandlers({ ...services, ...variables, authentication, clock, publicUrl, web, personOf }),
    authentication,
    validator,
    ...limits,
    cors: new Cors(config.CORS_ORIGINS.includes('*') ? undefined : config.CORS_ORIGINS),
    observer: metrics,
    refusals: variables.refusals,
    log,
  })
  const pages = {
    ...operationPages({
      metrics: openMetrics(platform, metricsServer, metrics),
      isReady: () => isReady(server, store.sql),
    }),
    ...identityPages(platform, identity, { ...limits, observer: metrics }),
  }
  server.open(siteOf(platform, pages, (request, response) => funnel.handle(request, response)))
  const admin =
    store.journal &&
    (await serveAdmin(config.DATA_DIR, installationOf(platform, { ...services, ...variables }, true), log))
  const housekeeping = housekeepingOf(platform, services, variables)
  outbox?.start()
  warnOfGaps(platform)
  log.info('serving', { url: publicUrl, address: new URL(url).host })

  async function stop(): Promise<void> {
    log.info('stopping')
    housekeeping.stop()
    variables.subscriptions.close()
    await Promise.all([server.drain(drainMs), metricsServer?.drain(drainMs), outbox?.close()])
    await housekeeping.finish()
    admin?.close()
    await identity?.close()
    await store.close()
    log.info('stopped')
  }
  let stopping: Promise<void> | undefined
  return { url, setupLink: await identity?.setupLink(), close: () => (stopping ??= stop()) }
}
