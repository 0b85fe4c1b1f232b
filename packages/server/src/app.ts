/** The composition root: the only file that sees all rooms. */
import path from 'node:path'
import { serveAdmin } from './admin/socket.ts'
import { Authentication } from './auth/authenticate.ts'
import { ProviderKeys } from './auth/jwks.ts'
import { Membership } from './auth/membership.ts'
import { Organizations } from './auth/organizations.ts'
import { ProviderTokens } from './auth/provider-tokens.ts'
import { systemClock, type Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import { Keyring } from './crypto/keyring.ts'
import { localKmsOfFile, localKmsOfSetting } from './crypto/kms/local.ts'
import { unitOf } from './evaluation/bucket.ts'
import { Evaluation } from './evaluation/evaluate.ts'
import { Housekeeping } from './housekeeping.ts'
import { Cors } from './http/cors.ts'
import { createHandlers } from './http/endpoints/index.ts'
import { Funnel } from './http/funnel.ts'
import { Metrics } from './http/metrics.ts'
import { operationPages } from './http/operations.ts'
import { HttpServer } from './http/server.ts'
import { DevelopmentProvider } from './identity/development.ts'
import { Ledger } from './metering/ledger.ts'
import { freePlan, unlimited } from './metering/plans.ts'
import { DeviceCodes } from './sessions/device-codes.ts'
import { Sessions } from './sessions/sessions.ts'
import { openStore, type Store } from './store.ts'
import { installationKey } from './storage/keys.ts'
import { Stages } from './variables/stages.ts'
import { VariableWriter } from './variables/write.ts'

const drainMs = 8_000

export interface App {
  /** Where the service is reached, such as http://127.0.0.1:8787. */
  readonly url: string
  /** Whether the development provider signs people in. */
  readonly development: boolean
  /** Answers what has begun, stores what is noted, closes; calling it again waits for the same stop. */
  close(): Promise<void>
}

async function openKeyring({ sql, dataDir }: Store, { MASTER_KEY }: Config, nowMs: number): Promise<Keyring> {
  const isNew = (await installationKey(sql)) === undefined
  const kms =
    MASTER_KEY === undefined ? localKmsOfFile(path.join(dataDir, 'master.key'), isNew) : localKmsOfSetting(MASTER_KEY)
  return Keyring.open(sql, kms, nowMs)
}

/** Opens everything and listens. Throws a sentence for the operator. */
export async function startApp(config: Config, log: Log, clock: Clock = systemClock): Promise<App> {
  const store = await openStore(config.DATA_DIR, clock, log)
  try {
    return await serve(store, config, log, clock)
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Where the service listens, once it does. */
interface Origin {
  port: number
}

function originText(host: string, { port }: Origin): string {
  const name = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** What serves the API, from the store up. */
async function buildRooms(store: Store, config: Config, log: Log, clock: Clock) {
  const { sql } = store
  const keyring = await openKeyring(store, config, clock.now())
  const plan = config.PLAN === 'free' ? freePlan(config.FREE_EVALUATIONS, config.FREE_STORAGE_BYTES) : unlimited
  const meter = new Ledger(sql, plan, clock)
  const membership = new Membership({ url: config.IDP_MEMBERSHIP_URL, token: config.IDP_MEMBERSHIP_TOKEN }, clock, log)
  const sessions = new Sessions({ sql, clock, log, askMembership: (org, user) => membership.checkNow(org, user) })
  const deviceCodes = new DeviceCodes({ sql, keyring, clock })
  const stages = new Stages(sql, keyring)
  const writer = new VariableWriter({ sql, stages, keyring, meter, clock })
  const evaluation = new Evaluation({ stages, meter, dice: { unitOf, random: Math.random }, log })
  return { meter, membership, sessions, deviceCodes, stages, writer, evaluation }
}

function providerTokens(config: Config, issuer: string, clock: Clock, log: Log): ProviderTokens {
  const rules = {
    issuer,
    audience: config.IDP_AUDIENCE,
    authorizedParties: config.IDP_AUTHORIZED_PARTIES,
    orgIdClaim: config.IDP_ORG_ID_CLAIM,
    orgSlugClaim: config.IDP_ORG_SLUG_CLAIM,
  }
  return new ProviderTokens(rules, new ProviderKeys({ issuer, jwksUrl: config.IDP_JWKS_URL }, clock, log), clock)
}

/** The development provider answers on this machine only, so the service must listen there. */
function assertReachable({ IDP_ISSUER, HOST }: Config): void {
  const isLocal = /^(127\.|localhost$|::1?$|0\.0\.0\.0$)/.test(HOST)
  if (IDP_ISSUER !== undefined || isLocal) return
  throw new Error(`Without ROLLKEY_IDP_ISSUER, ROLLKEY_HOST must be 127.0.0.1 or 0.0.0.0, not ${HOST}.`)
}

function warnOfGaps(config: Config, log: Log): void {
  if (config.IDP_ISSUER === undefined) {
    log.warn('no ROLLKEY_IDP_ISSUER: the development provider signs anybody on this machine in')
  } else if (config.IDP_MEMBERSHIP_URL === undefined) {
    log.warn('no ROLLKEY_IDP_MEMBERSHIP_URL: members who are removed at the provider keep their sessions')
  }
}

async function serve(store: Store, config: Config, log: Log, clock: Clock): Promise<App> {
  const { sql, dataDir } = store
  const origin: Origin = { port: config.PORT }
  const publicUrl = (): string => config.PUBLIC_URL ?? originText(config.HOST, origin)
  assertReachable(config)
  const development =
    config.IDP_ISSUER === undefined
      ? await DevelopmentProvider.open(path.join(dataDir, 'development-provider.json'), () =>
          originText(config.HOST, origin),
        )
      : undefined
  const rooms = await buildRooms(store, config, log, clock)
  const { sessions, membership } = rooms
  const metrics = new Metrics(rooms.meter.counts)
  const isReady = (): Promise<boolean> =>
    server.isDraining
      ? Promise.resolve(false)
      : sql.all('select 1').then(
          () => true,
          () => false,
        )
  const server: HttpServer = new HttpServer({
    pages: { ...operationPages({ metrics, isReady }), ...development?.pages },
    api: (request, response) => funnel.handle(request, response),
  })
  // With port 0 the issuer of the development provider is known only now; no request is read before this turn ends.
  origin.port = await server.listen(config.HOST, config.PORT)
  const issuer = config.IDP_ISSUER ?? development?.issuer ?? ''
  const organizations = new Organizations(sql, clock)
  const funnel = new Funnel({
    handlers: createHandlers({ ...rooms, publicUrl }),
    authentication: new Authentication({
      providerTokens: providerTokens(config, issuer, clock, log),
      sessions,
      membership,
      organizations,
    }),
    cors: new Cors(config.CORS_ORIGINS.includes('*') ? undefined : config.CORS_ORIGINS),
    observer: metrics,
    log,
  })
  const admin = await serveAdmin(dataDir, { sql, clock, serving: true })
  const housekeeping = new Housekeeping({ sql, sessions, clock, log, historyDays: config.HISTORY_DAYS })
  warnOfGaps(config, log)
  log.info('serving', { url: publicUrl() })

  async function stop(): Promise<void> {
    log.info('stopping')
    housekeeping.stop()
    await server.drain(drainMs)
    await sessions.flush()
    admin.close()
    await store.close()
    log.info('stopped')
  }
  let stopping: Promise<void> | undefined
  return {
    url: publicUrl(),
    development: development !== undefined,
    close: () => (stopping ??= stop()),
  }
}
