/** Tests that nothing reads much between two turns of the event loop, however much is stored, so that others are served. */
import path from 'node:path'
import { DatabaseSync, StatementSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { endpoints, type EndpointName } from '@rollkey/contract'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { sweep } from '../src/compose/housekeeping.ts'
import { roll, secret } from '../testkit/entries.ts'
import { fillOrganization } from '../testkit/large-organization.ts'
import { isLong } from '../testkit/long.ts'
import { inServer } from '../testkit/operator.ts'
import { openStore } from '../testkit/store.ts'
import { newOwner, useTestEnv, write, type TestTenant } from '../testkit/test-env.ts'

/** Maximum rows of a turn. */
const maxRows = 2_500
const variables = 1_000
const size = {
  projects: isLong ? 100 : 10,
  stagesPerProject: 10,
  auditEntries: isLong ? 2_000_000 : 200_000,
  usageDays: 365,
  exchangedTokens: isLong ? 100_000 : 10_000,
  appliedChanges: isLong ? 100_000 : 10_000,
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
  fillOrganization(file, size, testEnv.clock.now())
  await testEnv.restart()
  visits = new RowVisits(file)
}, 600_000)

afterAll(() => visits.close())

/** Counts the rows that SQLite visits, which are more than those that a statement returns: of each table it sees a view that counts. */
class RowVisits {
  readonly #db: DatabaseSync
  #count = 0

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true })
    this.#db.function('visit', (_rowid) => {
      this.#count++
      return 1
    })
    const tables = this.#db.prepare(`select name from sqlite_schema where type = 'table'`).all() as { name: string }[]
    for (const { name } of tables)
      this.#db.exec(`create temp view ${name} as select * from main.${name} where visit(rowid)`)
  }

  /** Runs a statement of the service again, if it reads the store, or what a deletion finds. Returns how many rows it visits. */
  count(text: string, params: SQLInputValue[]): number {
    const deletion = /^delete from (\w+) where ([^]*)$/.exec(text)
    const reading = deletion ? `select 1 from ${deletion[1]} where ${deletion[2]?.replace(/ returning .*$/, '')}` : text
    if (!/^\s*(select|with) /.test(reading) || /\b(insert|update) /.test(reading) || reading.includes('"')) return 0
    this.#count = 0
    this.#db.prepare(reading).all(...params)
    return this.#count
  }

  close(): void {
    this.#db.close()
  }
}

/** Returns the most rows that statements visit in one turn of the event loop during the work, in which each slice ends at once. */
async function rowsInATurn(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ticks++)
  let [now, most, isCounting] = [0, 0, true]
  const prototype = StatementSync.prototype as {
    all: (this: StatementSync, ...params: SQLInputValue[]) => unknown[]
  }
  const { all } = prototype
  const counting = vi.spyOn(prototype, 'all').mockImplementation(function (this: StatementSync, ...params) {
    const rows = all.apply(this, params)
    if (!isCounting) return rows
    isCounting = false
    now += visits.count(this.sourceSQL, params)
    isCounting = true
    most = Math.max(most, now)
    return rows
  })
  const done = new AbortController()
  const turns = (async () => {
    for (; !done.signal.aborted; now = 0) await nextTurn()
  })()
  try {
    await work()
  } finally {
    done.abort()
    await turns
    counting.mockRestore()
    clock.mockRestore()
  }
  return most
}

/** Endpoints that need one thing by its name or id, or nothing, whatever the organization has. */
const ofOneThing: readonly EndpointName[] = [
  ...(['changeAbort', 'changeApply', 'changeEdit', 'changePause', 'changePropose', 'changeReschedule'] as const),
  ...(['changeResume', 'changeReveal', 'changeReview', 'changeShow', 'changeSkip', 'changeWithdraw'] as const),
  ...(['accessGrant', 'accessRevoke', 'groupCreate', 'groupDelete', 'groupMembers', 'groupUpdate'] as const),
  ...(['keyCreate', 'keyRevoke', 'roleDelete', 'roleSet', 'stageProtect', 'tokenCreate', 'tokenRevoke'] as const),
  ...(['tokenRotate', 'trustCreate', 'trustDelete', 'trustTest', 'trustUpdate'] as const),
  ...(['deviceComplete', 'deviceDeny', 'devicePoll', 'deviceShow', 'deviceStart', 'logout', 'sessionConfirm'] as const),
  ...(['sessionRevoke', 'tokenRefresh', 'webSettings', 'webSignIn', 'webToken', 'signInRulesSet'] as const),
  ...(['organizationUpdate', 'projectCreate', 'write', 'events'] as const),
]
/** Deletions answer at once, and the rows go later, a few at a time (deletion.test.ts). They need a person in a browser. */
const later: readonly EndpointName[] = ['organizationDelete', 'projectDelete', 'stageDelete']

test('each request of the contract visits few rows in a turn of the event loop', async () => {
  const { at, token } = tenant
  const { orgSlug } = at
  const copied = { orgSlug, projectSlug: 'p1', stageSlug: 's1' }
  const dayAgo = (days: number): string => new Date(testEnv.clock.now() - days * 86_400_000).toISOString().slice(0, 10)
  const requests: Partial<Record<EndpointName, object>> = {
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
    recentHistory: { orgSlug },
    reveal: { ...at, names: ['N1'] },
    roles: { orgSlug },
    rollCounts: { ...at, name: 'N0' },
    rolls: { orgSlug, limit: 1_000 },
    search: { orgSlug, query: 'N' },
    session: {},
    sessionList: { orgSlug, everyone: true },
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
  expect([...Object.keys(requests), ...ofOneThing, ...later].toSorted()).toEqual(Object.keys(endpoints).toSorted())
  const most: Record<string, number> = {}
  for (const [name, body] of Object.entries(requests) as [EndpointName, object][]) {
    most[name] = await rowsInATurn(() => testEnv.client.must(name, body, { token }))
  }
  expect(Object.entries(most).filter(([, rows]) => rows > maxRows)).toEqual([])
}, 600_000)

test('each command of the operator that shows what is stored visits few rows in a turn of the event loop', async () => {
  const most: Record<string, number> = {}
  for (const words of ['status', 'organizations', 'usage', 'usage callers --org acme']) {
    most[words] = await rowsInATurn(() => inServer(testEnv.app.dataDir, [words.replace('acme', tenant.at.orgSlug)]))
  }
  expect(Object.entries(most).filter(([, rows]) => rows > maxRows)).toEqual([])
})

test('the deletion of what has expired visits few rows in a turn of the event loop', async () => {
  await testEnv.app.stop()
  const sql = await openStore(testEnv.app.dataDir)
  onTestFinished(async () => {
    await sql.close()
    await testEnv.restart()
  })
  const nowMs = testEnv.clock.now()
  const swept = [await rowsInATurn(() => sweep(sql, nowMs, 0)), await rowsInATurn(() => sweep(sql, nowMs, 0, nowMs))]
  expect(swept.filter((rows) => rows > maxRows)).toEqual([])
})
