/** Tests that nothing reads much between two turns of the event loop, however much is stored, so that others are served. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { documentOfDeclarations, endpoints, type EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { Checkpoints } from '../src/audit/checkpoints.ts'
import { sweepAudit } from '../src/audit/retention.ts'
import { sweep } from '../src/compose/housekeeping.ts'
import { roll, secret } from '../testkit/entries.ts'
import { filledFile, fillOrganization } from '../testkit/large-organization.ts'
import { isLong } from '../testkit/long.ts'
import type { Keyring } from '../src/crypto/keyring.ts'
import { nextDueAtMs } from '../src/storage/due-changes.ts'
import type { Sql } from '../src/storage/sql.ts'
import { EventReader } from '../testkit/events.ts'
import { temporaryFolder } from '../testkit/folder.ts'
import { inServer } from '../testkit/operator.ts'
import { RowVisits } from '../testkit/row-visits.ts'
import { openStore } from '../testkit/store.ts'
import { silent } from './storage/temporary.ts'
import { newOwner, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

/** Maximum rows of a turn. */
const maxRows = 2_500
const variables = 1_000
const size = {
  projects: isLong ? 100 : 10,
  stagesPerProject: 10,
  auditEntries: isLong ? 2_000_000 : 20_000,
  usageDays: 365,
  exchangedTokens: isLong ? 100_000 : 10_000,
  appliedChanges: isLong ? 100_000 : 10_000,
  pastStates: isLong ? 200_000 : 8_000,
  proposedValues: isLong ? 16_000 : 4_000,
}
const testEnv = useTestEnv({ RATE_LIMIT_EXPENSIVE: '0' })
let tenant: TestTenant
let visits: RowVisits

beforeAll(async () => {
  tenant = await newOwner(testEnv)
  const entries = Array.from({ length: variables }, (_, index) =>
    index % 25 === 0 ? roll(`N${index}`, 0.5) : secret(`N${index}`, 'v'),
  )
  for (let from = 0; from < variables; from += 250) await write(testEnv, tenant, entries.slice(from, from + 250))
  const file = path.join(testEnv.app.dataDir, 'rollkey.db')
  await testEnv.app.stop()
  await fillOrganization(filledFile(file), size, testEnv.clock.now())
  await testEnv.restart()
  visits = new RowVisits(file)
}, 600_000)

afterAll(() => visits.close())

/** Endpoints that need one thing by its name or id, or nothing, whatever the organization has. */
const ofOneThing = [
  ...(['changeAbort', 'changePause', 'changeResume', 'changeReview', 'changeSkip', 'trustTest'] as const),
  ...(['deviceComplete', 'deviceDeny', 'devicePoll', 'deviceShow', 'deviceStart', 'logout', 'sessionConfirm'] as const),
  ...(['sessionRevoke', 'tokenRefresh', 'webSettings', 'webSignIn', 'webToken', 'signInRulesSet'] as const),
  // They wait for a receiver.
  ...(['hookTest', 'hookRedeliver'] as const),
] satisfies readonly EndpointName[]
/** Live events, which have a test below. */
const streams = ['events'] as const
/** Deletions answer at once, and the rows go later, a few at a time (deletion.test.ts). They need a person in a browser. */
const later = ['organizationDelete', 'projectDelete', 'stageDelete'] as const

/** Other endpoints, each of which has a request below. */
type Requested = Exclude<EndpointName, (typeof ofOneThing | typeof streams | typeof later)[number]>

test('each request of the contract visits few rows in a turn of the event loop', async () => {
  const { at } = tenant
  const { accessToken: token } = await testEnv.client.login(tenant.user)
  const { orgSlug } = at
  const copied = { orgSlug, projectSlug: 'p1', stageSlug: 's1' }
  const dayAgo = (days: number): string => new Date(testEnv.clock.now() - days * 86_400_000).toISOString().slice(0, 10)
  const reader = { principal: { kind: 'user', id: tenant.user.userId }, role: 'reader' }
  const trust = {
    name: 'ci',
    issuer: 'https://gitlab.com',
    claims: [{ name: 'project_id', value: '1' }],
    role: 'reader',
  }
  const proposed = Array.from({ length: 1_000 }, (_, index) => secret(`N${index + 1}`, 'proposed'))
  const project = { orgSlug, projectSlug: at.projectSlug }
  const declarations = Array.from({ length: 1_000 }, (_, index) => ({
    name: `N${index}`,
    constraint: { minLength: 1 },
  }))
  // An id is that of what the request before it created.
  const requests: Readonly<Record<Requested, object>> = {
    accessGrant: { ...copied, ...reader },
    accessRevoke: { ...copied, principal: reader.principal },
    changePropose: { ...at, reason: 'r', entries: proposed.slice(0, 500) },
    changeShow: at,
    changeReveal: { ...at, names: ['N1'] },
    changeEdit: { ...at, reason: 'r', entries: proposed.slice(0, 400) },
    changeReschedule: { ...at, applyAtMs: null },
    changeApply: at,
    changeWithdraw: { ...at, id: 'chg_1' },
    declarationSet: { ...project, declarations },
    declarationReplace: { ...project, document: documentOfDeclarations(declarations) },
    declarationList: project,
    declarationDocument: project,
    declarationCheck: at,
    declarationDelete: { ...project, names: declarations.map(({ name }) => name) },
    groupCreate: { orgSlug, name: 'group' },
    groupUpdate: { orgSlug, name: 'new name' },
    groupMembers: { orgSlug, add: [{ kind: 'user', id: tenant.user.userId }] },
    groupDelete: { orgSlug },
    hookCreate: { orgSlug, name: 'Deploys', url: 'https://example.com/hook' },
    hookUpdate: { orgSlug, name: 'new name' },
    hookRotate: { orgSlug },
    hookDeliveries: { orgSlug },
    hookDelete: { orgSlug },
    hookList: { orgSlug },
    keyCreate: { ...copied, name: 'web', origins: [] },
    keyRevoke: { orgSlug },
    organizationUpdate: { orgSlug, defaultRole: 'developer' },
    projectCreate: { orgSlug, projectSlug: 'created', stages: [{ stageSlug: 'dev' }] },
    roleSet: { orgSlug, name: 'role', verbs: ['list'] },
    roleDelete: { orgSlug, name: 'role' },
    stageProtect: { ...copied, isProtected: false },
    tokenCreate: { orgSlug, name: 'ci' },
    tokenRotate: { orgSlug },
    tokenRevoke: { orgSlug },
    trustCreate: { orgSlug, ...trust },
    trustUpdate: { orgSlug, name: 'new name' },
    trustDelete: { orgSlug },
    write: { ...at, mode: 'upsert', entries: proposed.slice(0, 500) },
    accessExplain: { orgSlug, who: { everyone: true } },
    accessHolders: copied,
    accessList: { orgSlug },
    attention: { orgSlug },
    audit: { orgSlug, name: 'NONE' },
    changeList: { orgSlug, states: ['open'] },
    digests: at,
    evaluate: { ...at, name: 'N1' },
    evaluateBatch: { ...at, entries: [{ name: 'N1' }] },
    explain: { ...at, name: 'N0' },
    groups: { orgSlug },
    history: copied,
    keyList: { orgSlug },
    list: copied,
    manifest: at,
    organization: { orgSlug },
    pins: { ...at, name: 'N0' },
    plain: at,
    plainHistory: at,
    projects: { orgSlug },
    pull: at,
    report: { ...at, decisions: [{ name: 'N0', decision: 'a', step: 'chance', count: 1 }] },
    ruleset: at,
    recentHistory: { orgSlug },
    reveal: { ...at, names: ['N1'] },
    roles: { orgSlug },
    rollCounts: { ...at, name: 'N0' },
    rolls: { orgSlug, limit: 1_000 },
    search: { orgSlug, query: 'N' },
    session: {},
    sessionList: { orgSlug, everyone: true },
    organizationMembers: { orgSlug },
    signInRules: { orgSlug },
    tokenList: { orgSlug },
    trustList: { orgSlug },
    usage: { orgSlug },
    usageCallers: { orgSlug, from: dayAgo(60), to: dayAgo(0) },
    whoami: {},
    projectUpdate: { orgSlug, projectSlug: 'p2', archived: true },
    stageCreate: { orgSlug, projectSlug: 'p3', stageSlug: 'new', name: 'new' },
    stageOrder: { orgSlug, projectSlug: 'p4', stageSlugs: Array.from({ length: 10 }, (_, index) => `s${10 - index}`) },
    stageUpdate: { ...copied, name: 'x' },
    update: { ...at, updates: [{ name: 'N0', chance: 0.4 }] },
    restore: { ...at, revision: 2 },
    copy: {
      orgSlug,
      from: { projectSlug: at.projectSlug, stageSlug: at.stageSlug },
      to: { projectSlug: 'new', stageSlug: 'new' },
      names: ['N1'],
    },
  }
  const most: Record<string, number> = {}
  const confirmed = { token: await testEnv.provider.confirmedTokenOf(tenant.user) }
  let id = {}
  for (const [name, body] of Object.entries(requests) as [Requested, object][]) {
    const fields = Object.keys((endpoints[name].request as { shape?: object }).shape ?? {})
    const credential = endpoints[name].auth === 'person' ? confirmed : { token }
    most[name] = await visits.inATurn(async () => {
      const answer = await testEnv.client.must(name, { ...(fields.includes('id') && id), ...body }, credential)
      if (answer.id !== undefined) id = { id: answer.id }
    })
  }
  const others: [EndpointName, object][] = [
    // Only entries without details are left.
    ['recentHistory', { orgSlug, before: size.auditEntries / 2 }],
    ['history', at],
    ['history', { ...at, name: 'N1' }],
    ['plainHistory', { ...at, name: 'N0' }],
    ['rolls', { orgSlug, limit: 10 }],
  ]
  for (const [name, body] of others) {
    most[`${name} ${JSON.stringify(body)}`] = await visits.inATurn(() => testEnv.client.must(name, body, { token }))
  }
  expect(Object.entries(most).filter(([, rows]) => rows > maxRows)).toEqual([])
}, 600_000)

test('a stream that continues after a pause visits few rows in a turn of the event loop', async () => {
  const { at } = tenant
  const { accessToken: token } = await testEnv.client.login(tenant.user)
  const since = Array.from({ length: 10 }, (_, index) => `s${index + 1}:0`)
  const query = { orgSlug: at.orgSlug, projectSlug: 'p9', since: since.join(',') }
  let events = 0
  const most = await visits.inATurn(async () => {
    const reader = await EventReader.open(testEnv.app.url, query, token)
    // Four revisions of each stage, of 250 variables each.
    while (events < 40) if ((await reader.next())?.event === 'revision') events++
    reader.close()
  })
  expect(most).toBeLessThanOrEqual(maxRows)
})

test('each command of the operator about what is stored visits few rows in a turn of the event loop', async () => {
  const most: Record<string, number> = {}
  // A younger key is not rotated. The copies of the only stage stay under it.
  testEnv.clock.advance(2 * 3_600_000)
  const rotate = 'data-key rotate --org acme --project shop'
  for (const words of ['status', 'organizations', 'usage', 'usage callers --org acme', rotate, 'key status']) {
    most[words] = await visits.inATurn(() => inServer(testEnv.app.dataDir, [words.replace('acme', tenant.at.orgSlug)]))
  }
  expect(Object.entries(most).filter(([, rows]) => rows > maxRows)).toEqual([])
})

test('the deletion of what has expired visits few rows in a turn of the event loop', async () => {
  const folder = temporaryFolder()
  await testEnv.app.stop()
  cpSync(testEnv.app.dataDir, folder, { recursive: true })
  await testEnv.restart()
  const sql = await openStore(folder)
  const copy = new RowVisits(path.join(folder, 'rollkey.db'))
  onTestFinished(async () => {
    copy.close()
    await sql.close()
  })
  const nowMs = testEnv.clock.now()
  await fillWithExpiring(sql, nowMs)
  const most: Record<string, number> = {}
  const measure = async (name: string, atMs: number, lastMs?: number): Promise<void> => {
    most[name] = await copy.inATurn(() => sweep(sql, atMs, 0, lastMs))
  }
  // Open changes without a time are of no interest.
  expect(await copy.inATurn(() => nextDueAtMs(sql))).toBe(0)
  await measure('first', nowMs)
  await measure('second', nowMs, nowMs)
  await sql.tx(async (tx) => {
    await tx.all(`update stages set deleted_at_ms = $1 where project_id in ('p6', 'p7', 'p8')`, nowMs)
    // As the entry of the audit log does, which the store of tests demands.
    await tx.all('update audit_heads set seq = seq')
  })
  await measure('of deleted stages', nowMs, nowMs)
  const yearsLater = nowMs + 730 * msPerDay
  await measure('two years later', yearsLater, nowMs)
  await fillWithOrganizations(sql, nowMs)
  most['checkpoints'] = await copy.inATurn(() => newCheckpoints(sql, yearsLater).signAll())
  most['of the audit log'] = await copy.inATurn(() => sweepAudit(sql, nowMs + 2 * msPerDay, retention))
  const [{ checkpoints } = {}] = await sql.all<{ checkpoints: number }>(
    `select count(*) as checkpoints from audit_checkpoints where org_id like 'many_%'`,
  )
  // The last one of the day, and the new one.
  expect(checkpoints).toBe(2 * manyOrganizations)
  expect(Object.entries(most).filter(([, rows]) => rows > maxRows)).toEqual([])
  const left = async (table: string) => (await sql.all(`select 1 from ${table} limit 1`)).length
  expect(await Promise.all([...expiring, 'usage_callers', 'last_evaluations', 'roll_counts'].map(left))).toEqual(
    Array.from({ length: expiring.length + 3 }, () => 0),
  )
  expect(await sql.all(`select 1 from variables where stage_id like 'copy-6-%'`)).toEqual([])
})

const msPerDay = 86_400_000
const retention = { defaultDays: 400, frequentDays: 400 }
const manyOrganizations = 3_000

function newCheckpoints(sql: Sql, nowMs: number): Checkpoints {
  const keyring = { secretFor: () => Buffer.alloc(32).toString('base64url') } as unknown as Keyring
  return new Checkpoints({ sql, keyring, clock: { now: () => nowMs }, log: silent })
}

/** Stores organizations whose audit logs have grown, each with two checkpoints of one day. */
async function fillWithOrganizations(sql: Sql, nowMs: number): Promise<void> {
  const numbers = `with recursive numbers (i) as (values (1) union all select i + 1 from numbers where i < ${manyOrganizations})`
  await sql.tx(async (tx) => {
    await tx.all(
      `${numbers} insert into organizations (id, idp_org_id, slug, name, created_at_ms)
       select 'many_' || i, 'many_' || i, 'many-' || i, 'n', 0 from numbers`,
    )
    await tx.all(`${numbers} insert into audit_heads (org_id, seq, chain) select 'many_' || i, 9, 'c' from numbers`)
    for (const seq of [1, 2])
      await tx.all(
        `${numbers} insert into audit_checkpoints (org_id, seq, chained_from, at_ms, chain, signature)
         select 'many_' || i, cast($1 as bigint), 0, cast($2 as bigint), 'c', 's' from numbers`,
        seq,
        nowMs - (nowMs % msPerDay) + seq,
      )
  })
}

const expiring = [
  'request_keys',
  'device_codes',
  'password_tries',
  'wrong_user_codes',
  'access_tokens',
  'client_keys',
] as const

/** Stores thousands of what expires: logins with their sessions, request keys, tries and revoked client keys. */
async function fillWithExpiring(sql: Sql, nowMs: number): Promise<void> {
  const [organization] = await sql.all<{ id: string }>('select id from organizations')
  const orgId = organization?.id ?? ''
  const numbers = `with recursive numbers (i) as (values (1) union all select i + 1 from numbers where i < 3000)`
  const session = `(id, org_id, user_id, created_at_ms, last_used_at_ms, member_seen_at_ms, revoked_at_ms)
    select $1 || i, $2, 'user', cast($3 as bigint) + i, $3, $3, $3 from numbers`
  await sql.tx(async (tx) => {
    for (const prefix of ['login_', 'key_'])
      await tx.all(`${numbers} insert into sessions ${session}`, prefix, orgId, nowMs)
    await tx.all(
      `${numbers} insert into device_codes (id, device_code_hash, user_code_hash, status, created_at_ms, expires_at_ms, session_id)
       select 'dev_' || i, 'd' || i, 'u' || i, 'exchanged', $1, $1, 'login_' || i from numbers`,
      nowMs,
    )
    await tx.all(
      `${numbers} insert into client_keys (session_id, client_key, name, project_slug, stage_slug, origins, created_by)
       select 'key_' || i, 'k', 'web', 'p1', 's1', '[]', 'user' from numbers`,
    )
    await tx.all(
      `${numbers} insert into access_tokens (hash, session_id, expires_at_ms) select 'key_' || i, 'key_' || i, $1 from numbers`,
      Number.MAX_SAFE_INTEGER,
    )
    await tx.all(
      `${numbers} insert into request_keys (org_id, key_hash, expires_at_ms) select $1, 'k' || i, $2 from numbers`,
      orgId,
      nowMs,
    )
    await tx.all(
      `${numbers} insert into password_tries (account, tries, open_at_ms, tried_at_ms) select 'a' || i, 1, $1, $1 from numbers`,
      nowMs,
    )
    await tx.all(
      `${numbers} insert into wrong_user_codes (user_id, times, updated_at_ms) select 'u' || i, '[]', $1 from numbers`,
      nowMs,
    )
  })
}
