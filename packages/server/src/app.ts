/** The composition root: the only file that sees all rooms. */
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import type { Installation } from './admin/command.ts'
import { serveAdmin } from './admin/socket.ts'
import { AuditLog } from './audit/audit-log.ts'
import { Checkpoints } from './audit/checkpoints.ts'
import type { AuditRetention } from './audit/retention.ts'
import { PeopleLog } from './audit/people-log.ts'
import { Refusals } from './audit/refusals.ts'
import { sealFor } from './backup/age.ts'
import { Authentication } from './auth/authenticate.ts'
import { outsideKeys, ownKeys, ProviderKeys, type KeySource } from './auth/jwks.ts'
import { Organizations } from './auth/organizations.ts'
import { OutsideMembers, type Members } from './auth/outside-members.ts'
import { ProviderTokens, type TokenRules } from './auth/provider-tokens.ts'
import { soleWriter, type Currency } from './base/claims.ts'
import { systemClock, type Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import { Keyring } from './crypto/keyring.ts'
import { eitherKms, type Kms } from './crypto/kms/kms.ts'
import { kmsOfUrl } from './crypto/kms/of-url.ts'
import { localKmsOfFile, localKmsOfSetting } from './crypto/kms/local.ts'
import { unitOf } from './evaluation/bucket.ts'
import { Digests } from './evaluation/digests.ts'
import { Evaluation } from './evaluation/evaluate.ts'
import { Housekeeping } from './housekeeping.ts'
import { clientAddress } from './http/client-address.ts'
import { Cors } from './http/cors.ts'
import { createHandlers } from './http/endpoints/index.ts'
import type { Web } from './http/endpoints/rooms.ts'
import { fetchPage } from './http/fetch-page.ts'
import { Funnel } from './http/funnel.ts'
import { Metrics } from './http/metrics.ts'
import { operationPages } from './http/operations.ts'
import { RateLimits } from './http/rate-limits.ts'
import { HttpServer, type Pages } from './http/server.ts'
import { webApplication } from './http/web-application.ts'
import { memberTable, openIdentityFile, openIdentitySchema, type IdentityDatabase } from './identity/database.ts'
import type { EmbeddedProvider } from './identity/embedded.ts'
import { JournalCounter } from './metering/journal-counter.ts'
import { Ledger } from './metering/ledger.ts'
import type { Counter } from './metering/meter.ts'
import { Outbox } from './metering/billing/outbox.ts'
import type { BillingReceiver } from './metering/billing/receiver.ts'
import { SignedHttpReceiver } from './metering/billing/signed-http.ts'
import { StripeReceiver } from './metering/billing/stripe.ts'
import { freePlan, unlimited, type Plan } from './metering/plans.ts'
import { RoundCounter } from './metering/round-counter.ts'
import { Usage } from './metering/usage.ts'
import { DeviceCodes } from './sessions/device-codes.ts'
import { ServiceTokens } from './sessions/service-tokens.ts'
import { Sessions, type AskMembership } from './sessions/sessions.ts'
import { openStore, type Store } from './store.ts'
import { installationKey } from './storage/keys.ts'
import { PostgresRounds, type Rounds } from './storage/rounds.ts'
import type { Sql } from './storage/sql.ts'
import { Copies } from './variables/changes/copy.ts'
import { Restores } from './variables/changes/restore.ts'
import { History } from './variables/history.ts'
import { Projects } from './variables/projects.ts'
import { Search } from './variables/search.ts'
import { Reveal } from './variables/reveal.ts'
import { RollCounts } from './variables/roll-counts.ts'
import { Stages } from './variables/stages.ts'
import { Watch } from './variables/watch/watch.ts'
import { VariableWriter } from './variables/write.ts'

const drainMs = 8_000
const dashboard = fileURLToPath(new URL('../../dashboard/dist/', import.meta.url))

export interface App {
  /** Where the service listens, such as http://127.0.0.1:8787. */
  readonly url: string
  /** The one-time address that makes the first account; undefined when there is one. */
  readonly setupLink: string | undefined
  /** Answers what has begun, stores what is noted, closes; calling it again waits for the same stop. */
  close(): Promise<void>
}

/** What everything stands on. */
interface Ground {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly store: Store
  /** Where people reach the service, without a slash at its end. */
  readonly publicUrl: string
}

/** Where the master key is that the settings name, if they name one. */
async function namedKms(config: Config, which: '' | 'OTHER_'): Promise<Kms | undefined> {
  const url = config[`${which}KMS_URL` as const]
  const masterKey = config[`${which}MASTER_KEY` as const]
  if (url !== undefined) return kmsOfUrl(url, config[`${which}KMS_TOKEN` as const])
  return masterKey === undefined ? undefined : localKmsOfSetting(masterKey, `ROLLKEY_${which}MASTER_KEY`)
}

async function masterKms(config: Config, isNew: boolean): Promise<Kms> {
  const kms = (await namedKms(config, '')) ?? localKmsOfFile(path.join(config.DATA_DIR, 'master.key'), isNew)
  const other = await namedKms(config, 'OTHER_')
  return other ? eitherKms(kms, other) : kms
}

/** Throws a sentence for the operator. */
export async function openKeyring({
  store: { sql },
  config,
  clock,
}: Pick<Ground, 'config' | 'clock'> & { readonly store: Pick<Store, 'sql'> }): Promise<Keyring> {
  const isNew = (await installationKey(sql)) === undefined
  return Keyring.open(sql, await masterKms(config, isNew), clock.now())
}

function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** A name rather than an address of this machine: passkeys need one. */
function publicUrlOf({ PUBLIC_URL, HOST }: Config, port: number): string {
  const isLocal = /^(127\.|localhost$|::1?$|0\.0\.0\.0$)/.test(HOST)
  return PUBLIC_URL ?? originOf(isLocal ? 'localhost' : HOST, port)
}

/** The addresses of a service on this machine are all its own, whichever a person types. */
function trustedOrigins(publicUrl: string): string[] {
  const { origin, hostname, port } = new URL(publicUrl)
  return hostname === 'localhost' ? [origin, `http://127.0.0.1:${port}`, `http://[::1]:${port}`] : [origin]
}

function identityDatabase({ config: { DATABASE_URL, DATA_DIR }, store }: Ground): Promise<IdentityDatabase> {
  return DATABASE_URL === undefined
    ? openIdentityFile(path.join(DATA_DIR, 'identity.db'))
    : openIdentitySchema(DATABASE_URL, store.sql)
}

interface IdentityMeans {
  readonly keyring: Keyring
  readonly currency: Currency
  readonly organizations: Organizations
}

async function openIdentity(
  ground: Ground,
  { keyring, currency: { moments }, organizations }: IdentityMeans,
): Promise<EmbeddedProvider | undefined> {
  const { config, publicUrl, store, clock, log } = ground
  if (config.IDP_ISSUER !== undefined) return undefined
  const people = new PeopleLog({
    sql: store.sql,
    orgIdOf: (...organization) => organizations.idOf(...organization),
    clock,
    log,
    blocks: config.AUDIT_BLOCKS === 'yes',
  })
  // Only where it is used: loading its library takes longer than all the rest of the start.
  const { EmbeddedProvider: Embedded } = await import('./identity/embedded.ts')
  return Embedded.open({
    database: await identityDatabase(ground),
    moments,
    publicUrl,
    origins: trustedOrigins(publicUrl),
    secret: keyring.secretFor('identity'),
    signUp: config.SIGN_UP,
    takeNote: (note) => people.take(note),
    clock,
    log,
  })
}

function outsideMembers({ config, clock, log }: Ground): OutsideMembers {
  return new OutsideMembers({ url: config.IDP_MEMBERSHIP_URL, token: config.IDP_MEMBERSHIP_TOKEN }, clock, log)
}

function planOf({ PLAN, FREE_EVALUATIONS, FREE_STORAGE_BYTES }: Config): Plan {
  return PLAN === 'free' ? freePlan(FREE_EVALUATIONS, FREE_STORAGE_BYTES) : unlimited
}

function billingReceiver({ config: { BILLING_URL, BILLING_SECRET }, clock }: Ground): BillingReceiver | undefined {
  if (BILLING_URL === undefined || BILLING_SECRET === undefined) return undefined
  const [, eventName] = /^stripe:(.+)/.exec(BILLING_URL) ?? []
  return eventName === undefined
    ? new SignedHttpReceiver({ url: BILLING_URL, secret: BILLING_SECRET, clock })
    : new StripeReceiver({ eventName, key: BILLING_SECRET })
}

async function openOutbox(ground: Ground): Promise<Outbox | undefined> {
  const receiver = billingReceiver(ground)
  const { store, clock, log } = ground
  return receiver && Outbox.open({ sql: store.sql, receiver, clock, log, random: Math.random })
}

/** How evaluations are counted, alone or beside other nodes; with those it also tells what is current. */
function countingOf({ config, store, clock }: Ground): { rounds: Rounds | undefined; counter: Counter } {
  const { sql, journal, shared } = store
  const plan = planOf(config)
  if (!shared) return { rounds: undefined, counter: new JournalCounter({ journal, sql, plan, clock }) }
  const table = config.IDP_ISSUER === undefined ? memberTable : undefined
  const rounds = new PostgresRounds({ sql: shared, clock, limit: plan.evaluationsPerMonth, memberTable: table })
  return { rounds, counter: new RoundCounter({ rounds, sql, plan, clock }) }
}

/** What both the server and an offline command need. */
async function openRooms(ground: Ground) {
  const { store, clock, log } = ground
  const { sql } = store
  const keyring = await openKeyring(ground)
  const { rounds, counter } = countingOf(ground)
  const currency: Currency = rounds ?? soleWriter
  const organizations = new Organizations(sql, clock)
  const identity = await openIdentity(ground, { keyring, currency, organizations })
  const members: Members = identity?.members ?? outsideMembers(ground)
  const askMembership: AskMembership = (org, user) => members.checkNow(org, user)
  const sessions = new Sessions({ sql, currency, clock, log, askMembership })
  const serviceTokens = new ServiceTokens({ sql, sessions, clock })
  const checkpoints = new Checkpoints({ sql, keyring, clock, log })
  return { keyring, rounds, counter, currency, identity, members, sessions, serviceTokens, organizations, checkpoints }
}

type Rooms = Awaited<ReturnType<typeof openRooms>>

/** Variables and what is done with them. */
function variableRooms({ config, store: { sql, journal }, clock, log }: Ground, { keyring, counter, currency }: Rooms) {
  const meter = new Ledger(counter, planOf(config))
  const deviceCodes = new DeviceCodes({ sql, keyring, clock })
  const stages = new Stages({ sql, keyring, currency })
  const writer = new VariableWriter({ sql, stages, keyring, meter, clock })
  const changes = {
    copies: new Copies({ stages, log }),
    restores: new Restores(sql),
    reveal: new Reveal({ sql, stages, clock, log }),
    history: new History({ sql, stages, keyring }),
  }
  const rollCounts = new RollCounts({ sql, stages, clock })
  const auditLog = new AuditLog(sql)
  const refusals = new Refusals(sql, clock)
  const evaluation = new Evaluation({ stages, meter, rollCounts, dice: { unitOf, random: Math.random }, log })
  const digests = new Digests({ stages, keyring, log })
  const projects = new Projects({ sql, keyring, stages, clock })
  const search = new Search(sql)
  const watch = new Watch({ sql, log })
  const usage = new Usage({ sql, journal, plan: planOf(config), clock })
  return {
    meter,
    deviceCodes,
    projects,
    search,
    watch,
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

function keySource({ config }: Ground, { identity }: Rooms): KeySource {
  return identity
    ? ownKeys(identity.issuer, () => identity.keys())
    : outsideKeys(config.IDP_ISSUER ?? '', config.IDP_JWKS_URL)
}

function tokenRules({ config, publicUrl }: Ground, { identity }: Rooms): TokenRules {
  if (identity) {
    const claims = { orgIdClaim: 'org_id', orgSlugClaim: 'org_slug' }
    return { issuer: identity.issuer, audience: publicUrl, authorizedParties: [], ...claims }
  }
  return {
    issuer: config.IDP_ISSUER ?? '',
    audience: config.IDP_AUDIENCE,
    authorizedParties: config.IDP_AUTHORIZED_PARTIES,
    orgIdClaim: config.IDP_ORG_ID_CLAIM,
    orgSlugClaim: config.IDP_ORG_SLUG_CLAIM,
  }
}

function providerTokensOf(ground: Ground, rooms: Rooms): ProviderTokens {
  const { clock, log } = ground
  const keys = new ProviderKeys(keySource(ground, rooms), clock, log)
  return new ProviderTokens(tokenRules(ground, rooms), keys, clock)
}

async function webOf({ config, publicUrl, log }: Ground, { identity }: Rooms, tokens: ProviderTokens): Promise<Web> {
  const { IDP_ISSUER, IDP_CLIENT_ID, IDP_SCOPES } = config
  if (identity) return { provider: 'embedded', signUp: config.SIGN_UP, passkeys: identity.hasPasskeys }
  if (IDP_ISSUER === undefined || IDP_CLIENT_ID === undefined) return { provider: 'outside', signIn: undefined }
  const { WebSignIn } = await import('./auth/web-sign-in.ts')
  const redirectUri = `${publicUrl}/auth/callback`
  const client = { issuer: IDP_ISSUER, clientId: IDP_CLIENT_ID, scopes: IDP_SCOPES, redirectUri }
  return { provider: 'outside', signIn: new WebSignIn(client, tokens, log) }
}

function identityPages({ config, publicUrl }: Ground, { identity }: Rooms): Pages {
  if (!identity) return {}
  const metadata = JSON.stringify(identity.metadata)
  return {
    '/.well-known/openid-configuration': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(metadata)
    },
    [`${identity.basePath}/`]: fetchPage({
      handle: (request) => identity.handle(request),
      publicUrl,
      addressOf: clientAddress(config.TRUSTED_PROXIES),
      addressHeader: identity.clientAddressHeader,
    }),
  }
}

function rateLimitsOf({ config, clock }: Ground): RateLimits {
  const figures = {
    requests: config.RATE_LIMIT_REQUESTS,
    evaluations: config.RATE_LIMIT_EVALUATIONS,
    address: config.RATE_LIMIT_ADDRESS,
  }
  return new RateLimits({ figures, addressOf: clientAddress(config.TRUSTED_PROXIES), clock })
}

function warnOfGaps({ config, log }: Ground): void {
  if (config.IDP_ISSUER === undefined) return
  if (config.IDP_MEMBERSHIP_URL === undefined) {
    log.warn('no ROLLKEY_IDP_MEMBERSHIP_URL: members who are removed at the provider keep their sessions')
  }
  if (config.IDP_CLIENT_ID === undefined) {
    log.warn('no ROLLKEY_IDP_CLIENT_ID: nobody can sign in to the web application')
  }
}

export function auditRetentionOf({ AUDIT_DAYS, AUDIT_FREQUENT_DAYS }: Config): AuditRetention {
  return { most: AUDIT_DAYS, frequent: AUDIT_FREQUENT_DAYS }
}

function installationOf(
  { config, store, clock }: Pick<Ground, 'config' | 'store' | 'clock'>,
  rooms: Rooms & ReturnType<typeof variableRooms>,
  serving: boolean | undefined,
): Installation {
  const { DATA_DIR, DATABASE_URL, BACKUP_RECIPIENT } = config
  return {
    sql: store.sql,
    journal: store.journal,
    clock,
    ...rooms,
    embeddedFolder: DATABASE_URL === undefined ? DATA_DIR : undefined,
    backupRecipient: BACKUP_RECIPIENT,
    auditRetention: auditRetentionOf(config),
    serving,
  }
}

/** An open data directory for a command, while no server has it. Throws a sentence for the operator. */
export async function openInstallation(
  config: Config,
  log: Log,
): Promise<{ installation: Installation; close: () => Promise<void> }> {
  const clock = systemClock
  await assertRecipient(config)
  const store = await openStore(config, clock, log)
  try {
    const ground: Ground = { config, log, clock, store, publicUrl: publicUrlOf(config, config.PORT) }
    const rooms = await openRooms(ground)
    const serving = config.DATABASE_URL === undefined ? false : undefined
    const installation = installationOf(ground, { ...rooms, ...variableRooms(ground, rooms) }, serving)
    const close = async (): Promise<void> => {
      await rooms.identity?.close()
      await store.close()
    }
    return { installation, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens everything and listens. Throws a sentence for the operator. */
export async function startApp(config: Config, log: Log, clock: Clock = systemClock): Promise<App> {
  await assertRecipient(config)
  const store = await openStore(config, clock, log)
  const server = new HttpServer(log)
  try {
    const port = await server.listen(config.HOST, config.PORT)
    const ground: Ground = { config, log, clock, store, publicUrl: publicUrlOf(config, port) }
    return await serve(ground, server, originOf(config.HOST, port))
  } catch (error) {
    await server.drain(0)
    await store.close()
    throw error
  }
}

/** A wrong one is found out at the start, not by the first backup. Throws a sentence for the operator. */
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
  { config, store: { sql }, clock, log }: Ground,
  { sessions, checkpoints, identity }: Rooms,
  { rollCounts, refusals }: ReturnType<typeof variableRooms>,
): Housekeeping {
  return new Housekeeping({
    sql,
    noted: [sessions, rollCounts, refusals],
    checkpoints,
    identity,
    clock,
    log,
    historyDays: config.HISTORY_DAYS,
    auditRetention: auditRetentionOf(config),
  })
}

async function serve(ground: Ground, server: HttpServer, url: string): Promise<App> {
  const { config, log, clock, store, publicUrl } = ground
  const { sql } = store
  const rooms = await openRooms(ground)
  const { sessions, members, organizations, identity, currency } = rooms
  const providerTokens = providerTokensOf(ground, rooms)
  const variables = variableRooms(ground, rooms)
  const outbox = await openOutbox(ground)
  const rateLimits = rateLimitsOf(ground)
  const metrics = new Metrics({
    ledger: variables.meter.counts,
    refused: rateLimits.refused,
    rounds: rooms.rounds?.counts,
    outbox: outbox?.figures,
    clock,
  })
  const web = await webOf(ground, rooms, providerTokens)
  const authentication = new Authentication({ providerTokens, sessions, members, organizations })
  const funnel = new Funnel({
    handlers: createHandlers({ ...rooms, ...variables, authentication, clock, publicUrl, web }),
    authentication,
    currency,
    rateLimits,
    cors: new Cors(config.CORS_ORIGINS.includes('*') ? undefined : config.CORS_ORIGINS),
    observer: metrics,
    refusals: variables.refusals,
    log,
  })
  const { document, assets } = webApplication(dashboard, publicUrl)
  server.open({
    pages: {
      ...operationPages({ metrics, isReady: () => isReady(server, sql) }),
      ...identityPages(ground, rooms),
      '/': document,
      '/assets/': assets,
    },
    document,
    api: (request, response) => funnel.handle(request, response),
  })
  const { journal } = store
  const admin = journal && (await serveAdmin(config.DATA_DIR, installationOf(ground, { ...rooms, ...variables }, true)))
  const housekeeping = housekeepingOf(ground, rooms, variables)
  outbox?.start()
  warnOfGaps(ground)
  log.info('serving', { url })

  async function stop(): Promise<void> {
    log.info('stopping')
    housekeeping.stop()
    variables.watch.close()
    await Promise.all([server.drain(drainMs), outbox?.close()])
    await housekeeping.finish()
    admin?.close()
    await identity?.close()
    await store.close()
    log.info('stopped')
  }
  let stopping: Promise<void> | undefined
  return { url, setupLink: await identity?.setupLink(), close: () => (stopping ??= stop()) }
}
