/** Creates the services and connects them. */
import { Access } from '../access/access.ts'
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
import { countingOf, planOf } from './counting.ts'
import { unitOf } from '../evaluation/bucket.ts'
import { Digests } from '../evaluation/digests.ts'
import { PlainValues } from '../evaluation/plain-values.ts'
import { Evaluation } from '../evaluation/evaluate.ts'
import { type Platform } from './platform.ts'
import { openKeyring } from './keys.ts'
import { Ledger } from '../metering/ledger.ts'
import { Usage } from '../metering/usage.ts'
import { openIdentity, externalMembers } from './people.ts'
import { DeviceCodes } from '../sessions/device-codes.ts'
import { Creators } from '../sessions/creators.ts'
import { ServiceTokens } from '../sessions/service-tokens.ts'
import { Sessions, type AskMembership } from '../sessions/sessions.ts'
import { CopyChange } from '../variables/changes/copy.ts'
import { RestoreChange } from '../history/restore-change.ts'
import { RecentHistory } from '../history/recent-history.ts'
import { History } from '../history/history.ts'
import { Deletion } from '../deletion/deletion.ts'
import { Projects } from '../stages/projects.ts'
import { Search } from '../stages/search.ts'
import { Reveal } from '../variables/reveal.ts'
import { RollCounts } from '../evaluation/roll-counts.ts'
import { MissingVariables } from '../stages/missing.ts'
import { Rolls } from '../evaluation/rolls.ts'
import { Stages } from '../stages/stages.ts'
import { Subscriptions } from '../live/subscriptions.ts'
import { VariableWriter } from '../variables/write.ts'

/** Creates the services that identify callers, keep sessions and hold keys. */
async function openBaseServices(platform: Platform) {
  const { store, clock, log } = platform
  const { sql } = store
  const keyring = await openKeyring(platform)
  const { counter, validator, rounds } = countingOf(platform)
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
  }
  const principals = new Principals({ sql, clock, people })
  const accessParts = { sql, access, principals, clock }
  const accessServices = {
    access,
    principals,
    grants: new Grants(accessParts),
    groups: new Groups({ ...accessParts, areReported: platform.config.IDP_GROUPS_CLAIM !== undefined }),
    roles: new Roles(access),
    defaults: new Defaults(accessParts),
    accessHistory: new AccessHistory({ sql, clock }),
  }
  return {
    ...accessServices,
    keyring,
    rounds,
    counter,
    validator,
    identity,
    members,
    sessions,
    serviceTokens,
    organizations,
    checkpoints,
  }
}

type BaseServices = Awaited<ReturnType<typeof openBaseServices>>

/** Creates the services that work with variables. */
function variableServices(
  { config, store: { sql, journal }, clock, log }: Platform,
  { access, keyring, counter, validator, sessions, identity, organizations }: BaseServices,
) {
  const meter = new Ledger(counter, planOf(config))
  const deviceCodes = new DeviceCodes({ sql, keyring, clock, maxPending: config.MAX_PENDING_LOGINS_PER_IP })
  const stages = new Stages({ sql, keyring, validator })
  const maxSize = { variables: config.STAGE_VARIABLES, bytes: config.STAGE_BYTES }
  const removePeople = identity && ((idpOrgId: string) => identity.deleteOrganization(idpOrgId))
  const changes = {
    copies: new CopyChange({ stages, log }),
    restores: new RestoreChange(sql),
    reveal: new Reveal({ sql, stages, clock, log }),
    history: new History({ sql, keyring }),
    recentHistory: new RecentHistory(sql),
  }
  const rollCounts = new RollCounts({ sql, clock })
  const missingVariables = new MissingVariables(sql)
  const auditLog = new AuditLog(sql)
  const refusals = new Refusals(sql, clock)
  const evaluation = new Evaluation({ stages, meter, rollCounts, dice: { unitOf, random: Math.random }, log })
  const digests = new Digests({ keyring, log })
  const plainValues = new PlainValues(log)
  const projects = new Projects({ sql, keyring, stages, clock })
  const search = new Search(sql)
  const subscriptions = new Subscriptions({ sql, log, perHolder: config.MAX_STREAMS_PER_CREDENTIAL })
  const usage = new Usage({ sql, journal, plan: planOf(config), clock })
  return {
    meter,
    deviceCodes,
    projects,
    deletion: new Deletion({
      sql,
      organizations,
      access,
      projects,
      stages,
      sessions,
      keyring,
      meter,
      removePeople,
      clock,
      log,
    }),
    search,
    subscriptions,
    usage,
    stages,
    writer: new VariableWriter({ sql, stages, keyring, meter, clock, maxSize }),
    evaluation,
    digests,
    plainValues,
    ...changes,
    rollCounts,
    rolls: new Rolls(sql, clock),
    missingVariables,
    auditLog,
    refusals,
  }
}

/** Opens the services that both the server and an offline command need. */
export async function openServices(platform: Platform) {
  const base = await openBaseServices(platform)
  return { ...base, ...variableServices(platform, base) }
}

export type AppServices = Awaited<ReturnType<typeof openServices>>
