/**
 * What a node may count over PostgreSQL, and where (docs/decisions/0068-rows-of-nodes.md). Each node has a row of `counting_nodes`, its
 * lease, with the limit of its plan and the limit that it must obey: the strictest of all nodes. Without a limit it counts in rows of
 * `node_usage` that no other node writes. One of the nodes periodically folds them, and a reader of usage does so before it reads.
 */
import { newId } from '../base/random.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { Coalescer } from '../concurrency/coalescer.ts'
import type { Reader, Sql, Tx } from '../storage/sql.ts'
import type { PendingUsage } from './pending-usage.ts'
import { unlimited, type Plan } from './plans.ts'

export const foldIntervalMs = 10_000
/** How often a node says that it is alive. */
const seenIntervalMs = 60_000
/** How long after that a node counts as gone, and its plan no more. If it is not gone, it opens its lease again. */
export const goneAfterMs = 10 * 60_000
/** Maximum rows of a fold, which bounds how long the rounds of their nodes wait for it. */
const foldedAtOnce = 2_000

/** Locks the meters, and then the rows in the order of rounds, so that no two transactions wait for each other. */
const fold = `
with locked as (
  select period from meters where org_id = $1 and meter = 'evaluations' order by period for no key update),
picked as (
  select node, day, caller, how, project_id, stage_id from node_usage
  where org_id = $1 and (select count(*) from locked) >= 0
  order by node, day, caller, how, project_id, stage_id limit cast($2 as bigint) for update),
moved as (
  delete from node_usage u using picked p
  where u.org_id = $1 and u.node = p.node and u.day = p.day and u.caller = p.caller and u.how = p.how
    and u.project_id = p.project_id and u.stage_id = p.stage_id
  returning u.day, u.caller, u.how, u.project_id, u.stage_id, u.evaluations),
spent as (
  insert into meters (org_id, meter, period, used)
  select $1, 'evaluations', substr(day, 1, 7) as period, cast(sum(evaluations) as bigint) from moved group by period order by period
  on conflict (org_id, meter, period) do update set used = meters.used + excluded.used returning period),
days as (
  insert into usage_days (org_id, project_id, stage_id, day, evaluations)
  select $1, project_id, stage_id, day, cast(sum(evaluations) as bigint) from moved
  group by day, project_id, stage_id order by day, project_id, stage_id
  on conflict (org_id, day, project_id, stage_id) do update set evaluations = usage_days.evaluations + excluded.evaluations),
callers as (
  insert into usage_callers (org_id, day, caller, how, project_id, stage_id, evaluations)
  select $1, day, caller, how, project_id, stage_id, cast(sum(evaluations) as bigint) from moved
  group by day, caller, how, project_id, stage_id order by day, caller, how, project_id, stage_id
  on conflict (org_id, day, caller, how, project_id, stage_id)
  do update set evaluations = usage_callers.evaluations + excluded.evaluations)
select (select count(*) from spent) as months, (select count(*) from moved) as moved`

async function foldOrganization(sql: Reader, orgId: string): Promise<void> {
  for (let moved = foldedAtOnce; moved === foldedAtOnce;) {
    const [row] = await sql.all<{ moved: number }>(fold, orgId, foldedAtOnce)
    moved = row?.moved ?? 0
  }
}

async function foldAll(sql: Reader): Promise<void> {
  const rows = await sql.all<{ org_id: string }>('select distinct org_id from node_usage order by org_id')
  for (const { org_id: orgId } of rows) await foldOrganization(sql, orgId)
}

interface Lease {
  /** Null: no limit. */
  readonly evaluations: number | null
}

export interface NodeRowsParts {
  readonly sql: Sql
  readonly plan: Plan
  readonly clock: Clock
  readonly log?: Log | undefined
}

export class NodeRows implements PendingUsage {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #log: Log | undefined
  readonly #folds: Coalescer<string, undefined>
  readonly node = newId('nod')
  /** The limit of the plan of this node. Null: no limit. */
  readonly #own: number | null
  /** The limit that the node obeyed when it last looked. */
  #limit: number | null
  #opening: Promise<void> | undefined

  constructor({ sql, plan: { evaluationsPerMonth }, clock, log }: NodeRowsParts) {
    this.#sql = sql
    this.#clock = clock
    this.#log = log
    this.#own = evaluationsPerMonth === unlimited.evaluationsPerMonth ? null : evaluationsPerMonth
    this.#limit = this.#own
    this.#folds = new Coalescer(async (orgIds) => {
      for (const orgId of new Set(orgIds)) await foldOrganization(sql, orgId)
      return orgIds.map(() => undefined)
    })
  }

  get hasLimit(): boolean {
    return this.#limit !== null
  }

  /** Opens the lease, unless it was opened. From then on, all nodes obey its plan if it is the strictest. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** Lets the lease be opened again, because it is gone or the database was replaced. */
  forget(): void {
    this.#opening = undefined
  }

  async #open(): Promise<void> {
    // Leaves little for the transaction, during which no node counts.
    if (this.#own !== null) await foldAll(this.#sql)
    const nowMs = this.#clock.now()
    this.#note(
      await this.#sql.tx((tx) =>
        agree(tx, nowMs, () =>
          tx.all(
            `insert into counting_nodes (node, own_evaluations, evaluations, seen_at_ms)
             values ($1, cast($2 as bigint), cast($2 as bigint), $3)
             on conflict (node) do update set own_evaluations = excluded.own_evaluations, seen_at_ms = excluded.seen_at_ms`,
            this.node,
            this.#own,
            nowMs,
          ),
        ),
      ),
    )
  }

  /**
   * Locks the lease against a change of the limit. Returns the maximum evaluations of an organization per month, or undefined if the lease
   * is gone.
   */
  async lockedLimit(tx: Tx): Promise<number | undefined> {
    const [lease] = await tx.all<Lease>('select evaluations from counting_nodes where node = $1 for share', this.node)
    if (!lease) return undefined
    this.#note(lease.evaluations)
    return lease.evaluations ?? unlimited.evaluationsPerMonth
  }

  async fold(orgId?: string): Promise<void> {
    if (orgId === undefined) await foldAll(this.#sql)
    else await this.#folds.add(orgId)
  }

  /** Says that the node is alive. Folds the rows of all nodes, the gone ones included, unless a node did so in the last seconds. */
  async maintain(): Promise<void> {
    const nowMs = this.#clock.now()
    await this.#look(nowMs)
    const turn = await this.#sql.all(
      `update counting set folded_at_ms = $1 where id = 1 and (folded_at_ms <= $2 or folded_at_ms > $1) returning id`,
      nowMs,
      nowMs - foldIntervalMs,
    )
    if (turn.length === 0) return
    await foldAll(this.#sql)
    const gone = await this.#sql.all(
      `select node from counting_nodes where ${isGone('$1')} limit 1`,
      nowMs,
      goneAfterMs,
    )
    if (gone.length > 0) await this.#sql.tx((tx) => agree(tx, nowMs))
  }

  async #look(nowMs: number): Promise<void> {
    const update = 'update counting_nodes set seen_at_ms = $2 where node = $1 and seen_at_ms < $3'
    await this.#sql.all(update, this.node, nowMs, nowMs - seenIntervalMs)
    const [lease] = await this.#sql.all<Lease>('select evaluations from counting_nodes where node = $1', this.node)
    if (lease) return this.#note(lease.evaluations)
    this.forget()
    await this.open()
  }

  #note(limit: number | null): void {
    if (limit === this.#limit) return
    this.#limit = limit
    if (limit === null || limit === this.#own) this.#log?.info('this node counts by its own plan again')
    else this.#log?.warn('this node counts by the plan of another node, which allows less', { count: limit })
  }

  /** Folds all rows and ends the lease, after the last event. */
  async close(): Promise<void> {
    await foldAll(this.#sql)
    const nowMs = this.#clock.now()
    const leave = 'delete from counting_nodes where node = $1'
    await this.#sql.tx((tx) => agree(tx, nowMs, () => tx.all(leave, this.node)))
  }
}

/** A lease that no node has renewed. One from the future is that of a wrong clock. */
function isGone(now: string): string {
  return `seen_at_ms not between ${now} - cast($2 as bigint) and ${now} + cast($2 as bigint)`
}

/**
 * Makes the strictest plan of the live nodes that of all, after a change of their leases. Returns its limit. Changing a lease waits for the
 * rounds that have locked it. So from its commit on no node counts by the former limit, and with a limit nothing is left in the rows of
 * nodes: the shared meters have everything.
 */
async function agree(tx: Tx, nowMs: number, change?: () => Promise<unknown>): Promise<number | null> {
  await tx.all('select id from counting where id = 1 for update')
  await change?.()
  await tx.all(`delete from counting_nodes where ${isGone('$1')}`, nowMs, goneAfterMs)
  const [strictest] = await tx.all<Lease>('select min(own_evaluations) as evaluations from counting_nodes')
  const limit = strictest?.evaluations ?? null
  await tx.all(
    'update counting_nodes set evaluations = cast($1 as bigint) where evaluations is distinct from cast($1 as bigint)',
    limit,
  )
  if (limit !== null) await foldAll(tx)
  return limit
}
