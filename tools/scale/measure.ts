/**
 * Measures the cost of rounds on a real PostgreSQL. tools/simulate-scale.ts starts from these figures and is checked against
 * them. Each node starts its next round as soon as the last is answered. Database and nodes share this machine, so more
 * nodes than cores also wait for the processor. The measurement takes about ten seconds: `npm run simulate -- --measure`.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { ReadSet, type CacheEntry } from '../../packages/server/src/consistency/read-set.ts'
import { systemClock } from '../../packages/server/src/base/clock.ts'
import { createLog } from '../../packages/server/src/base/log.ts'
import { migrate } from '../../packages/server/src/storage/migrate.ts'
import { connectPostgres, openPostgres } from '../../packages/server/src/storage/postgres.ts'
import { countingValidator, type CountingValidator } from '../../packages/server/src/metering/joined-counting.ts'
import { NodeRows } from '../../packages/server/src/metering/node-rows.ts'
import { freePlan, unlimited } from '../../packages/server/src/metering/plans.ts'
import type { Sql } from '../../packages/server/src/storage/sql.ts'
import { startPostgres } from '../../packages/server/testkit/postgres.ts'

const measuredMs = 800
const warmUpMs = 200
const ticksPerSec = 100
const maxOrgs = 300

interface Case {
  readonly nodes: number
  /** Number of organizations in a round. */
  readonly orgs: number
  /** Whether all nodes serve the same organizations. */
  readonly shared: boolean
  /** Whether the plan has a limit, so that all nodes count in the rows of the organizations. */
  readonly limited?: true
}

const cases: readonly Case[] = [
  { nodes: 1, orgs: 1, shared: true },
  { nodes: 1, orgs: 30, shared: true },
  { nodes: 1, orgs: 300, shared: true },
  { nodes: 4, orgs: 1, shared: false },
  { nodes: 4, orgs: 1, shared: true },
  { nodes: 16, orgs: 1, shared: false },
  { nodes: 16, orgs: 1, shared: true },
  { nodes: 4, orgs: 1, shared: true, limited: true },
  { nodes: 16, orgs: 1, shared: true, limited: true },
  { nodes: 4, orgs: 30, shared: true },
  { nodes: 4, orgs: 30, shared: true, limited: true },
]

/** Returns the processor time of a process' children so far. */
function cpuMsOf(parent: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')
      if (Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process has just ended.
    }
  }
  return (ticks / ticksPerSec) * 1_000
}

function cacheEntryOf<Entry>(entry: Entry): CacheEntry<Entry> {
  return { entry, asOf: 0, forget: () => undefined }
}

class Node {
  readonly #sql: Sql
  readonly #rows: NodeRows
  readonly #validator: CountingValidator
  readonly #orgs: readonly string[]
  readonly latenciesMs: number[] = []

  constructor(url: string, orgs: readonly string[], limited: boolean) {
    this.#sql = connectPostgres(url, 2)
    this.#orgs = orgs
    const plan = limited ? freePlan(1e12, 0) : unlimited
    const parts = { sql: this.#sql, clock: systemClock }
    this.#rows = new NodeRows({ ...parts, plan })
    this.#validator = countingValidator({ ...parts, rows: this.#rows, memberTable: undefined })
  }

  async run(fromMs: number, untilMs: number): Promise<void> {
    const entries = this.#orgs.map((orgId) => ({
      orgId,
      stage: cacheEntryOf({ stageId: `stage-${orgId}`, revision: 1 }),
    }))
    while (performance.now() < untilMs) {
      const startedAt = performance.now()
      await Promise.all(
        entries.map(({ orgId, stage }) => {
          const reads = new ReadSet(0)
          reads.stage = stage
          const ids = { orgId, projectId: `project-${orgId}`, stageId: `stage-${orgId}` }
          return this.#validator.run(reads, { ...ids, caller: 'me', how: 'session', requestKey: undefined })
        }),
      )
      if (startedAt >= fromMs) this.latenciesMs.push(performance.now() - startedAt)
    }
  }

  async close(): Promise<void> {
    await this.#rows.close()
    await this.#sql.close()
  }
}

async function fill(sql: Sql): Promise<void> {
  const numbers = `from generate_series(0, ${maxOrgs - 1}) as g(i)`
  await sql.all(`insert into organizations select 'org-' || i, 'org-' || i, 'org-' || i, 'org', 0 ${numbers}`)
  await sql.all(`insert into projects select 'project-org-' || i, 'org-' || i, 'shop', 'shop', 0, 'me' ${numbers}`)
  await sql.all(`insert into stages select 'stage-org-' || i, 'project-org-' || i, 'dev', 'dev', 1, 0, 'me' ${numbers}`)
}

async function walOf(sql: Sql): Promise<number> {
  const [row] = await sql.all<{ bytes: number }>(`select cast(pg_current_wal_lsn() - '0/0' as bigint) as bytes`)
  return row?.bytes ?? 0
}

async function measure(sql: Sql, url: string, pid: number, one: Case): Promise<number> {
  const { nodes, orgs, shared, limited = false } = one
  const all = Array.from({ length: nodes }, (_, node) => {
    const own = Array.from({ length: orgs }, (__, i) => `org-${shared ? i : node * orgs + i}`)
    return new Node(url, own, limited)
  })
  const fromMs = performance.now() + warmUpMs
  const running = all.map((node) => node.run(fromMs, fromMs + measuredMs))
  await new Promise((resolve) => setTimeout(resolve, warmUpMs))
  const [cpuBefore, walBefore] = [cpuMsOf(pid), await walOf(sql)]
  await Promise.all(running)
  const [cpuMs, wal] = [cpuMsOf(pid) - cpuBefore, (await walOf(sql)) - walBefore]
  const latencies = all.flatMap((node) => node.latenciesMs).toSorted((a, b) => a - b)
  for (const node of all) await node.close()
  const at = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2)
  const perSecond = Math.round((latencies.length / measuredMs) * 1_000)
  const line = [
    `${nodes} nodes, ${orgs} ${shared ? 'shared' : 'own'} organizations${limited ? ' with a limit' : ''}`,
    `${perSecond} rounds/s`,
    `p50 ${at(0.5)} ms`,
    `p99 ${at(0.99)} ms`,
    `${(cpuMs / latencies.length).toFixed(2)} ms of database CPU a round`,
    `${Math.round(wal / latencies.length)} bytes of WAL a round`,
  ]
  console.log(line.join('; '))
  return perSecond
}

export async function measureRounds(): Promise<void> {
  const postgres = await startPostgres()
  try {
    const sql = await openPostgres(postgres.url, 2)
    await migrate(sql, 0, createLog('silent'))
    await fill(sql)
    const measured: (Case & { readonly rate: number })[] = []
    for (const one of cases) measured.push({ ...one, rate: await measure(sql, postgres.url, postgres.pid, one) })
    const rateOf = (nodes: number, shared: boolean): number =>
      measured.find((one) => one.orgs === 1 && one.nodes === nodes && one.shared === shared && !one.limited)?.rate ??
      NaN
    const share = (rateOf(16, true) / rateOf(4, false)).toFixed(2)
    console.log(`16 nodes on one organization without a limit: ${share} of the rounds of 4 nodes, each on its own`)
    await sql.close()
  } finally {
    await postgres.close()
  }
}
