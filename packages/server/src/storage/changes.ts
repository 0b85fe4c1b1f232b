/** Queries of proposed changes, their values and their reviews. */
import {
  changeStates,
  changeTransitions,
  settledChangeStates,
  type ChangeMove,
  type ChangeState,
  type Kind,
  type Verdict,
} from '@rollkey/contract'
import type { RevisionId } from './history.ts'
import { maxPicked, pickedRows, readInPages } from './picked.ts'
import { first, type Reader, type Tx } from './sql.ts'

export interface ChangeRow {
  readonly id: string
  readonly org_id: string
  readonly stage_id: string
  readonly project_slug: string
  readonly stage_slug: string
  readonly state: ChangeState
  readonly reason: string
  /** JSON: what it does, without values. */
  readonly content: string
  /** Digest of everything that it proposes. */
  readonly digest: string
  readonly base_revision: number
  readonly apply_at_ms: number | null
  readonly zone: string | null
  /** JSON: ids of those who made it. */
  readonly authors: string
  readonly proposed_by: string
  readonly proposed_with: string
  readonly proposed_at_ms: number
  readonly updated_at_ms: number
  readonly settled_by: string | null
  readonly settled_at_ms: number | null
  readonly applied_revision: number | null
  readonly problem: string | null
  /** When the service looks at it next; null: at `apply_at_ms`. */
  readonly due_at_ms: number | null
  /** How many steps of its ramp are written or skipped. */
  readonly steps_done: number
  /** Days by which pauses have moved its ramp. */
  readonly delay_days: number
  /** Why someone applied it without the required approvals or in a freeze. */
  readonly bypass: string | null
  /** JSON: ids of the people whose approvals counted when its ramp started; null: it has not. */
  readonly approved_by: string | null
}

export const changeColumns = `id, org_id, stage_id, project_slug, stage_slug, state, reason, content, digest, base_revision, apply_at_ms, zone, authors,
  proposed_by, proposed_with, proposed_at_ms, updated_at_ms, settled_by, settled_at_ms, applied_revision, problem, due_at_ms, steps_done, delay_days,
  bypass, approved_by`

/** The states of changes that are not settled. An index finds these, and would not find all others than the settled ones. */
const unsettled = changeStates
  .filter((state) => !settledChangeStates.includes(state))
  .map((state) => `'${state}'`)
  .join(', ')

/** Conditions that a change is in a state from which a move moves it. */
export const isMovable = Object.fromEntries(
  Object.entries(changeTransitions).map(([move, { from }]) => [
    move,
    `state in (${from.map((state) => `'${state}'`).join(', ')})`,
  ]),
) as Readonly<Record<ChangeMove, string>>

export function changeById(sql: Reader, id: string): Promise<ChangeRow | undefined> {
  return first(sql.all(`select ${changeColumns} from changes where id = $1`, id))
}

export interface ChangeFilter {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
  readonly states?: readonly ChangeState[] | undefined
  /** Only changes that were proposed before this one. */
  readonly before?: ChangePosition | undefined
  /** Only this change, and those that were proposed after it. */
  readonly from?: ChangePosition | undefined
}

/** The place of a change among those of its organization. */
export type ChangePosition = Pick<ChangeRow, 'id' | 'proposed_at_ms'>

const isBefore = (time: number, id: number): string =>
  `proposed_at_ms <= $${time} and (proposed_at_ms < $${time} or id < $${id})`

/** Returns the last of the `count` changes that were proposed before a change, or before all, whatever they are; undefined if there are fewer. */
export function changeEarlierBy(
  sql: Reader,
  orgId: string,
  count: number,
  before?: ChangePosition,
): Promise<ChangePosition | undefined> {
  return first(
    sql.all(
      `select id, proposed_at_ms from changes where org_id = $1 and ${isBefore(2, 3)}
       order by proposed_at_ms desc, id desc limit 1 offset $4`,
      orgId,
      before?.proposed_at_ms ?? Number.MAX_SAFE_INTEGER,
      before?.id ?? '',
      count - 1,
    ),
  )
}

/** Returns up to `limit` changes of an organization that match the filter, the newest first. */
export function changesMatching(
  sql: Reader,
  orgId: string,
  { projectSlug, stageSlug, states, before, from }: ChangeFilter,
  limit: number,
): Promise<ChangeRow[]> {
  return sql.all(
    `select ${changeColumns} from changes
     where org_id = $1 and (cast($2 as text) is null or project_slug = $2) and (cast($3 as text) is null or stage_slug = $3)
       and (cast($4 as text) is null or replace($4, ' ' || state || ' ', '') <> $4)
       and ${isBefore(5, 6)} and proposed_at_ms >= $8 and (proposed_at_ms > $8 or id >= $9)
     order by proposed_at_ms desc, id desc limit $7`,
    orgId,
    projectSlug ?? null,
    stageSlug ?? null,
    states ? states.map((state) => ` ${state} `).join('') : null,
    before?.proposed_at_ms ?? Number.MAX_SAFE_INTEGER,
    before?.id ?? '',
    limit,
    from?.proposed_at_ms ?? 0,
    from?.id ?? '',
  )
}

/** How many changes of a stage are not settled: all, those of service tokens and trusts, and those that one has proposed. */
export interface OpenChanges {
  readonly all: number
  readonly ofMachines: number
  readonly own: number
}

/** Counts the changes of a stage that are not settled. `proposedBy`: whose own are counted. */
export async function countOpenChanges(sql: Reader, stageId: string, proposedBy: string): Promise<OpenChanges> {
  const [row] = await sql.all<{ all_open: number; machines: number; own: number }>(
    `select count(*) as all_open, count(case when substr(proposed_by, 1, 4) in ('tok_', 'tru_') then 1 end) as machines,
       count(case when proposed_by = $2 then 1 end) as own
     from changes where stage_id = $1 and state in (${unsettled})`,
    stageId,
    proposedBy,
  )
  return { all: row?.all_open ?? 0, ofMachines: row?.machines ?? 0, own: row?.own ?? 0 }
}

/**
 * Locks the stage of a change that is about to move, and counts the move for live events. Call it before anything locks the change, so
 * that no two transactions wait for each other.
 */
export async function noteMove(tx: Tx, stageId: string): Promise<void> {
  await tx.all('update stages set changes_moved = changes_moved + 1 where id = $1', stageId)
}

/**
 * Returns the number of bytes that the unsettled changes of a stage propose. It sums what was kept with each; only the values of a
 * change that an earlier version proposed are read.
 */
export async function proposedBytesOf(sql: Reader, stageId: string): Promise<number> {
  const [row] = await sql.all<{ bytes: number }>(
    `select cast(coalesce(sum(coalesce(value_bytes,
       (select sum(length(v.sealed)) from change_values v where v.change_id = changes.id))), 0) as bigint) as bytes
     from changes where stage_id = $1 and state in (${unsettled})`,
    stageId,
  )
  return row?.bytes ?? 0
}

/** Keeps how many bytes the values of a change have. */
export async function keepValueBytes(tx: Tx, id: string): Promise<void> {
  await tx.all(
    `update changes set value_bytes = (select coalesce(sum(length(sealed)), 0) from change_values where change_id = $1)
     where id = $1`,
    id,
  )
}

export async function insertChange(tx: Tx, row: ChangeRow): Promise<void> {
  await tx.all(
    `insert into changes (${changeColumns})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
       $26)`,
    row.id,
    row.org_id,
    row.stage_id,
    row.project_slug,
    row.stage_slug,
    row.state,
    row.reason,
    row.content,
    row.digest,
    row.base_revision,
    row.apply_at_ms,
    row.zone,
    row.authors,
    row.proposed_by,
    row.proposed_with,
    row.proposed_at_ms,
    row.updated_at_ms,
    row.settled_by,
    row.settled_at_ms,
    row.applied_revision,
    row.problem,
    row.due_at_ms,
    row.steps_done,
    row.delay_days,
    row.bypass,
    row.approved_by,
  )
}

/** What an edit replaces. */
export type ChangeEdit = Pick<
  ChangeRow,
  'id' | 'reason' | 'content' | 'base_revision' | 'apply_at_ms' | 'zone' | 'authors'
> & {
  /** Digest before the edit. */
  readonly formerDigest: string
  readonly digest: string
  readonly nowMs: number
}

/** Replaces what a change proposes. Returns false if it is settled, or if it was edited since it was read. */
export async function editChange(tx: Tx, move: 'edit' | 'reschedule', edit: ChangeEdit): Promise<boolean> {
  const rows = await tx.all(
    `update changes set state = '${changeTransitions[move].to}', reason = $3, content = $4, digest = $5, base_revision = $6,
       apply_at_ms = $7, zone = $8, authors = $9, updated_at_ms = $10, problem = null, due_at_ms = null,
       steps_done = 0, delay_days = 0
     where id = $1 and digest = $2 and ${isMovable[move]} returning id`,
    edit.id,
    edit.formerDigest,
    edit.reason,
    edit.content,
    edit.digest,
    edit.base_revision,
    edit.apply_at_ms,
    edit.zone,
    edit.authors,
    edit.nowMs,
  )
  return rows.length === 1
}

/** Records whose approvals counted when a ramp started. */
export async function noteApprovers(tx: Tx, id: string, approvers: readonly string[]): Promise<void> {
  await tx.all('update changes set approved_by = $2 where id = $1', id, JSON.stringify(approvers))
}

/** A move of a change that settles it, or makes it fail. */
export interface ChangeOutcome {
  readonly id: string
  /** The digest that it must have; undefined: any. */
  readonly digest?: string | undefined
  /** Who moved it; undefined: the service. */
  readonly by?: string | undefined
  readonly revision?: number | undefined
  readonly problem?: string | undefined
  /** Why it is applied without the required approvals or in a freeze; undefined: it is not. */
  readonly bypass?: string | undefined
  readonly nowMs: number
}

/** Moves a change and locks it. Returns false if it is in no state from which this moves it, or has another digest. */
export async function moveChange(
  tx: Tx,
  move: Exclude<ChangeMove, 'edit' | 'reschedule'>,
  { id, digest, by, revision, problem, bypass, nowMs }: ChangeOutcome,
): Promise<boolean> {
  const { to } = changeTransitions[move]
  const settles = settledChangeStates.includes(to)
  const rows = await tx.all(
    `update changes set state = '${to}', updated_at_ms = $3, settled_by = $4, settled_at_ms = $5, applied_revision = $6,
       problem = $7, bypass = $8
     where id = $1 and (cast($2 as text) is null or digest = $2) and ${isMovable[move]} returning id`,
    id,
    digest ?? null,
    nowMs,
    settles ? (by ?? null) : null,
    settles ? nowMs : null,
    revision ?? null,
    problem ?? null,
    bypass ?? null,
  )
  return rows.length === 1
}

/** A proposed value, sealed for its change. */
export interface ChangeValueRow {
  readonly change_id: string
  readonly name: string
  readonly stage_id: string
  readonly kind: Kind
  readonly sealed: Uint8Array
}

const valueColumns = 'change_id, name, stage_id, kind, sealed'

export async function insertChangeValue(tx: Tx, row: ChangeValueRow): Promise<void> {
  await tx.all(
    `insert into change_values (${valueColumns}) values ($1, $2, $3, $4, $5)`,
    row.change_id,
    row.name,
    row.stage_id,
    row.kind,
    row.sealed,
  )
}

export function changeValuesOf(sql: Reader, id: string): Promise<ChangeValueRow[]> {
  return sql.all(`select ${valueColumns} from change_values where change_id = $1`, id)
}

/**
 * Deletes up to `maxPicked` changes of an organization that settled before a time, with their reviews. Returns whether there may be more.
 * What settled before it was proposed before it.
 */
export async function deleteChangesSettledBefore(tx: Tx, orgId: string, beforeMs: number): Promise<boolean> {
  const rows = await tx.all<{ id: string }>(
    `select id from changes where org_id = $1 and proposed_at_ms < $2 and settled_at_ms < $2
     order by proposed_at_ms, id limit ${maxPicked}`,
    orgId,
    beforeMs,
  )
  const { text, params } = pickedRows(
    { id: 'text' },
    rows.map(({ id }) => [id]),
  )
  await tx.all(`${text} delete from change_values where change_id in (select id from picked)`, ...params)
  await tx.all(`${text} delete from change_reviews where change_id in (select id from picked)`, ...params)
  await tx.all(`${text} delete from changes where id in (select id from picked)`, ...params)
  return rows.length === maxPicked
}

/** Deletes the proposed values of a change. */
export async function deleteChangeValues(tx: Tx, id: string): Promise<void> {
  await tx.all('delete from change_values where change_id = $1', id)
}

/** Deletes the proposed value of one variable. */
export async function deleteChangeValue(tx: Tx, id: string, name: string): Promise<void> {
  await tx.all('delete from change_values where change_id = $1 and name = $2', id, name)
}

/** The change that made a revision. */
export interface AppliedChangeRow extends Pick<
  ChangeRow,
  'id' | 'stage_id' | 'reason' | 'proposed_by' | 'proposed_with'
> {
  readonly applied_revision: number
}

/** Returns the changes that made these revisions. The order is unspecified. */
export function appliedChanges(sql: Reader, revisions: readonly RevisionId[]): Promise<AppliedChangeRow[]> {
  return readInPages(revisions, (page) => {
    const rows = page.map(({ stageId, revision }) => [stageId, revision])
    const { text, params } = pickedRows({ stage_id: 'text', revision: 'bigint' }, rows)
    return sql.all<AppliedChangeRow>(
      `${text} select c.id, c.stage_id, c.applied_revision, c.reason, c.proposed_by, c.proposed_with
       from picked cross join changes c where c.stage_id = picked.stage_id and c.applied_revision = picked.revision`,
      ...params,
    )
  })
}

export interface ReviewRow {
  readonly change_id: string
  readonly reviewer: string
  readonly digest: string
  readonly verdict: Verdict
  readonly comment: string | null
  readonly reviewed_at_ms: number
}

/** Inserts a review, or replaces the one of the same person of the same content. */
export async function putReview(tx: Tx, row: ReviewRow): Promise<void> {
  await tx.all(
    `insert into change_reviews (change_id, reviewer, digest, verdict, comment, reviewed_at_ms)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (change_id, reviewer, digest) do update set verdict = excluded.verdict, comment = excluded.comment,
       reviewed_at_ms = excluded.reviewed_at_ms`,
    row.change_id,
    row.reviewer,
    row.digest,
    row.verdict,
    row.comment,
    row.reviewed_at_ms,
  )
}

/** Returns the reviews of at most `maxPicked` changes, in no particular order. */
export function reviewsOf(sql: Reader, ids: readonly string[]): Promise<ReviewRow[]> {
  const { text, params } = pickedRows(
    { id: 'text' },
    ids.map((id) => [id]),
  )
  return sql.all(
    `${text} select r.change_id, r.reviewer, r.digest, r.verdict, r.comment, r.reviewed_at_ms
     from picked cross join change_reviews r where r.change_id = picked.id`,
    ...params,
  )
}

/** Withdraws the changes of a stage that is being deleted. Their values go with the other rows of the stage. */
export async function withdrawChangesOf(tx: Tx, stageId: string, by: string, nowMs: number): Promise<void> {
  await tx.all(
    `update changes set state = 'withdrawn', updated_at_ms = $3, settled_by = $2, settled_at_ms = $3
     where stage_id = $1 and state in (${unsettled})`,
    stageId,
    by,
    nowMs,
  )
}

/** A variable of a stage. */
export interface StageName {
  readonly stage_id: string
  readonly name: string
}

/** The last change of a variable. */
export interface LastChange extends StageName {
  readonly revision: number
}

/** Returns the last change of each of at most `maxPicked` variables that the history has. */
export function lastChangesOf(sql: Reader, variables: readonly StageName[]): Promise<LastChange[]> {
  const { text, params } = pickedRows(
    { stage_id: 'text', name: 'text' },
    variables.map(({ stage_id: stageId, name }) => [stageId, name]),
  )
  return sql.all(
    `${text} select stage_id, name, revision from (
       select stage_id, name, (select max(h.revision) from variable_history h
         where h.stage_id = picked.stage_id and h.name = picked.name) as revision
       from picked) last
     where revision is not null`,
    ...params,
  )
}
