/** Creates the services and connects them. */
import { Access } from '../access/access.ts'
import { SignInRules } from '../access/sign-in-rules.ts'
import { Defaults } from '../access/defaults.ts'
import { Grants } from '../access/grants.ts'
import { Groups } from '../access/groups.ts'
import { AccessHistory } from '../access/holders.ts'
import { Principals, type People } from '../access/principals.ts'
import { Roles } from '../access/roles.ts'
import { AuditLog } from '../audit/audit-log.ts'
import { Checkpoints } from '../audit/checkpoints.ts'
import { Refusals } from '../audit/refusals.ts'
import { Organizations } from '../auth/organizations.ts'
import type { Members } from '../auth/external-members.ts'
import { Applier } from '../changes/apply.ts'
import { Changes } from '../changes/changes.ts'
import { Declarations } from '../declarations/declarations.ts'
import { OverdueVariables } from '../declarations/overdue.ts'
import { Drafts } from '../changes/drafts.ts'
import { DueChanges } from '../changes/due.ts'
import { Ramps } from '../changes/ramps.ts'
import { ChangeReader } from '../changes/reader.ts'
import { ChangeWorker } from '../changes/worker.ts'
import { countingOf, planOf } from './counting.ts'
import { FairQueue } from '../concurrency/fair-queue.ts'
import { unitOf } from '../evaluation/bucket.ts'
import { Digests } from '../evaluation/digests.ts'
import { PlainValues } from '../evaluation/plain-values.ts'
import { Evaluation } from '../evaluation/evaluate.ts'
import { Explanation } from '../evaluation/explanation.ts'
import { Reports } from '../evaluation/reports.ts'
import { Rulesets } from '../evaluation/rulesets.ts'
import { type Platform } from './platform.ts'
import { openKeyring } from './keys.ts'
import { mailServices } from './mail.ts'
import { ClientKeyQuotas } from '../metering/client-key-quotas.ts'
import { Ledger } from '../metering/ledger.ts'
import { Usage } from '../metering/usage.ts'
import { externalMembers, openIdentity, reportingProviders } from './people.ts'
import { ClientKeys } from '../sessions/client-keys.ts'
import { DeviceCodes } from '../sessions/device-codes.ts'
import { Creators } from '../sessions/creators.ts'
import { ServiceTokens } from '../sessions/service-tokens.ts'
import { Sessions, type AskMembership } from '../sessions/sessions.ts'
import { CopyChange } from '../variables/changes/copy.ts'
import { UpdateChange } from '../variables/changes/updates.ts'
import { RestoreChange } from '../history/restore-change.ts'
import { RecentHistory } from '../history/recent-history.ts'
import { History } from '../history/history.ts'
import { Versions } from '../evaluation/versions.ts'
import { PlainHistory } from '../evaluation/plain-history.ts'
import { Deletion } from '../deletion/deletion.ts'
import { Delivery } from '../notifications/delivery.ts'
import { HookOutbox } from '../notifications/hook-outbox.ts'
import { Hooks } from '../notifications/hooks.ts'
import { Target } from '../notifications/target.ts'
import { networks } from '../upstream/networks.ts'
import { Projects } from '../stages/projects.ts'
import { Search } from '../stages/search.ts'
import { Reveal } from '../variables/reveal.ts'
import { LastEvaluations } from '../evaluation/last-evaluations.ts'
import { RollCounts } from '../evaluation/roll-counts.ts'
import { MissingVariables } from '../stages/missing.ts'
import { Rolls } from '../evaluation/rolls.ts'
import type { Sql } from '../storage/sql.ts'
import { Stages } from '../stages/stages.ts'
import { Subscriptions } from '../live/subscriptions.ts'
import { TokenExchange } from '../trusts/exchange.ts'
import { TrustedIssuers } from '../trusts/issuer-keys.ts'
import { Trusts } from '../trusts/trusts.ts'
import { VariableWriter } from '../variables/write.ts'
import { pauseRamps } from '../changes/pause-ramps.ts'

/** Creates the services that identify callers, keep sessions and hold keys. */
async function openBaseServices(platform: Platform) {
  const { store, clock, log } = platform
  const { sql } = store
  const keyring = await openKeyring(platform)
  const counting = countingOf(platform)
  const { validator } = counting
  const { logicalClock } = validator
  const organizations = new Organizations({ sql, clock, logicalClock })
  const access = new Access({ sql, clock, logicalClock })
  // Provider and sessions need each other: the provider ends sessions, and sessions look up its members.
  const askMembership: AskMembership = (org, user) => members.checkNow(org, user)
  const sessions = new Sessions({ sql, validator, clock, log, askMembership })
  const identity = await openIdentity(platform, { keyring, validator, organizations, access, sessions })
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
  const people: People = {
    roleOf: askMembership,
    memberByEmail: identity && ((idpOrgId, email) => identity.memberByEmail(idpOrgId, email)),
    named: identity && ((userIds) => identity.people(userIds)),
    members: identity && ((idpOrgId) => identity.membersOf(idpOrgId)),
  }
  const principals = new Principals({ sql, clock, people })
  const accessParts = { sql, access, principals, clock }
  const accessServices = {
    access,
    principals,
    grants: new Grants(accessParts),
    groups: new Groups({ ...accessParts, reported: reportingProviders(platform.config) }),
    roles: new Roles(access),
    defaults: new Defaults(accessParts),
    signInRules: new SignInRules({
      access,
      owners: identity,
      companies: platform.config.COMPANIES,
      forgetSessions: (orgId) => sessions.forgetOrganization(orgId),
      clock,
    }),
    accessHistory: new AccessHistory({ sql, clock }),
  }
  return {
    ...accessServices,
    askMembership,
    keyring,
    ...counting,
    identity,
    members,
    sessions,
    serviceTokens,
    organizations,
    checkpoints,
  }
}

type BaseServices = Awaited<ReturnType<typeof openBaseServices>> & { readonly declarations: Declarations }

interface EvaluationDeps extends Pick<Platform, 'clock' | 'log'>, Pick<BaseServices, 'keyring'> {
  readonly sql: Sql
  readonly stages: Stages
  readonly meter: Ledger
}

/** Creates the services that show values, and that count what was served. */
function evaluationServices({ sql, stages, meter, keyring, clock, log }: EvaluationDeps) {
  const rollCounts = new RollCounts({ sql, clock })
  const lastEvaluations = new LastEvaluations({ sql, clock })
  const dice = { unitOf, random: Math.random }
  return {
    rollCounts,
    lastEvaluations,
    evaluation: new Evaluation({ stages, meter, rollCounts, lastEvaluations, dice, log }),
    explanation: new Explanation({ dice, log }),
    digests: new Digests({ keyring, log }),
    plainValues: new PlainValues(log),
    rulesets: new Rulesets({ meter, log }),
    reports: new Reports({ sql, clock }),
  }
}

/** Creates the services that work with variables. */
function variableServices(
  { config, store: { sql, journal }, clock, log }: Platform,
  { access, keyring, counter, pending, validator, sessions, identity, organizations, declarations }: BaseServices,
) {
  const { logicalClock } = validator
  const { CLIENT_KEY_EVALUATIONS: standard } = config
  const clientKeyQuotas = new ClientKeyQuotas({ sql, pending, clock, logicalClock, standard })
  const meter = new Ledger(counter, planOf(config), clientKeyQuotas)
  const deviceCodes = new DeviceCodes({ sql, keyring, clock, maxPending: config.MAX_PENDING_LOGINS_PER_IP })
  const stages = new Stages({ sql, keyring, validator })
  const maxSize = { variables: config.STAGE_VARIABLES, bytes: config.STAGE_BYTES }
  // The embedded store writes in this process, one transaction at a time.
  const turns = new FairQueue({ places: journal ? 1 : config.DATABASE_CONNECTIONS })
  const removePeople = identity && ((idpOrgId: string) => identity.deleteOrganization(idpOrgId))
  const kindsOfChanges = {
    copies: new CopyChange({ stages, log }),
    updates: new UpdateChange(log),
    restores: new RestoreChange(sql),
    reveal: new Reveal({ sql, stages, clock, log }),
    history: new History({ sql, keyring }),
    plainHistory: new PlainHistory({ sql, keyring, log }),
    versions: new Versions({ sql, keyring, meter, log }),
    recentHistory: new RecentHistory(sql),
  }
  const refusals = new Refusals(sql, clock)
  const projects = new Projects({ sql, keyring, stages, clock })
  const search = new Search(sql)
  const subscriptions = new Subscriptions({ sql, log, logicalClock, perHolder: config.MAX_STREAMS_PER_CREDENTIAL })
  const usage = new Usage({ sql, pending, plan: planOf(config), clock })
  const parts = { sql, stages, keyring, meter, clock }
  return {
    meter,
    clientKeyQuotas,
    clientKeys: new ClientKeys({ sql, sessions, quotas: clientKeyQuotas, clock }),
    deviceCodes,
    projects,
    deletion: new Deletion({ ...parts, organizations, access, projects, sessions, removePeople, log }),
    search,
    subscriptions,
    usage,
    stages,
    writer: new VariableWriter({ ...parts, maxSize, turns, onRolls: pauseRamps, declarations }),
    ...evaluationServices({ ...parts, log }),
    ...kindsOfChanges,
    rolls: new Rolls(sql, clock),
    missingVariables: new MissingVariables({ sql, logicalClock, declarations }),
    overdueVariables: new OverdueVariables({ sql, clock, declarations }),
    auditLog: new AuditLog(sql),
    refusals,
  }
}

/** Creates the services that exchange tokens of other services. */
function trustServices(
  { config, publicUrl, store: { sql }, clock, log }: Platform,
  { access, sessions, validator }: BaseServices,
  refusals: Refusals,
) {
  const issuers = new TrustedIssuers({ listed: config.TRUSTED_ISSUERS, clock, log })
  return {
    trusts: new Trusts({ sql, access, sessions, issuers, clock, publicUrl }),
    tokenExchange: new TokenExchange({ sql, issuers, refusals, clock, logicalClock: validator.logicalClock }),
  }
}

/** Creates the services that tell other programs what happened. */
function hookServices(
  { config, publicUrl, store: { sql }, clock, log }: Platform,
  { keyring, identity }: BaseServices,
) {
  const allowed = networks(config.HOOK_NETWORKS)
  const named = identity && ((userIds: readonly string[]) => identity.people(userIds))
  const delivery = new Delivery({ keyring, target: new Target({ allowed }), named, clock })
  return {
    hooks: new Hooks({ sql, delivery, allowed, clock, publicUrl }),
    hookOutbox: new HookOutbox({ sql, delivery, publicUrl, clock, log, random: Math.random }),
  }
}

/** Creates the services that propose, review and apply changes. */
function changeServices(
  { config, store: { sql }, clock, log }: Platform,
  { access, keyring, askMembership, validator, declarations }: BaseServices,
  { stages, digests, copies, restores, updates, writer }: ReturnType<typeof variableServices>,
) {
  const drafts = new Drafts({ keyring, copies, restores, updates, declarations, maxBytes: config.STAGE_BYTES, log })
  const changeReader = new ChangeReader({ sql, stages, keyring, digests, clock, log })
  const changes = new Changes({ sql, stages, keyring, drafts, reader: changeReader, clock })
  const applier = new Applier({ sql, access, reader: changeReader, keyring, writer, roleOf: askMembership, clock, log })
  const ramps = new Ramps({ sql, access, stages, reader: changeReader, applier, writer, clock, log })
  const due = new DueChanges({ sql, access, validator, applier, ramps, writer, clock })
  const changeWorker = new ChangeWorker({ sql, applyDue: (row) => due.apply(row), clock, log })
  return { changes, changeReader, applier, ramps, changeWorker }
}

/** Opens the services that both the server and an offline command need. */
export async function openServices(platform: Platform) {
  const opened = await openBaseServices(platform)
  const { store, clock } = platform
  const { logicalClock } = opened.validator
  const base = { ...opened, declarations: new Declarations({ sql: store.sql, clock, logicalClock }) }
  const ofVariables = variableServices(platform, base)
  return {
    ...base,
    ...ofVariables,
    ...changeServices(platform, base, ofVariables),
    ...trustServices(platform, base, ofVariables.refusals),
    ...hookServices(platform, base),
    ...mailServices(platform, base),
  }
}

export type AppServices = Awaited<ReturnType<typeof openServices>>
