/** Changes as the wire shows them: with digests in place of values, except those that are not secret. */
import {
  canMove,
  compareCodePoints,
  freezeEndMs,
  type Digested,
  type DigestEntry,
  type Response,
} from '@rollkey/contract'
import { lacksApprovers } from '../access/approvers.ts'
import type { Permissions } from '../access/permissions.ts'
import type { ChangeRow, LastChange, ReviewRow } from '../storage/changes.ts'
import type { Makers } from '../storage/makers.ts'
import { approvalsOf, authorsOf, mayApprove, needsReviewBy, placeOf } from './approvals.ts'
import { contentOf, isPut, namesOf, type ProposedItem } from './content.ts'
import { progressOf } from './progress.ts'

export type ListedChange = Response<'changeList'>['changes'][number]
export type ShownChange = Response<'changeShow'>

type ProposedValues = NonNullable<ShownChange['items'][number]['plain']>

/** Maximum names of a change in a list. */
const maxNames = 100

/** Who looks at a change. */
export interface Viewer {
  readonly permissions: Permissions
  /** The id of a person; undefined for a machine. */
  readonly personId: string | undefined
  readonly nowMs: number
}

/** A change and what others have said and done about it. */
export interface Reviewed {
  readonly row: ChangeRow
  readonly reviews: readonly ReviewRow[]
  readonly makers: Makers
  readonly conflicts: readonly LastChange[]
}

export function listedChange(reviewed: Reviewed, viewer: Viewer): ListedChange {
  const { row, reviews, makers, conflicts } = reviewed
  const content = contentOf(row)
  const names = namesOf(content)
  const {
    permissions: { policy },
    nowMs,
  } = viewer
  const counted = approvalsOf(policy, row, { reviews, makers, nowMs })
  const required = policy.protectionOf(placeOf(row)).approvals
  return {
    id: row.id,
    ...placeOf(row),
    state: row.state,
    reason: row.reason,
    proposedBy: row.proposed_by,
    proposedWith: row.proposed_with,
    proposedAtMs: row.proposed_at_ms,
    updatedAtMs: row.updated_at_ms,
    names: names.slice(0, maxNames),
    nameCount: names.length,
    ...(row.apply_at_ms !== null && { applyAtMs: row.apply_at_ms }),
    ...(content.steps && { steps: [...progressOf(row).steps], stepsDone: row.steps_done }),
    ...(content.guard && { guard: content.guard }),
    ...(content.notOn && { notOn: [...content.notOn] }),
    ...(isWaiting(row) && { dueAtMs: row.due_at_ms ?? row.apply_at_ms ?? 0 }),
    ...(row.zone !== null && { zone: row.zone }),
    approvals: {
      required,
      approvers: [...counted.approvers],
      rejectors: [...counted.rejectors],
      isApproved: counted.isApproved,
    },
    needsYou: viewer.personId !== undefined && needsReviewBy(viewer.personId, reviewed, counted, policy, nowMs),
    ...(conflicts.length > 0 && { conflictAt: Math.max(...conflicts.map(({ revision }) => revision)) }),
    ...(row.settled_at_ms !== null && { settledAtMs: row.settled_at_ms }),
    ...(row.settled_by !== null && { settledBy: row.settled_by }),
    ...(row.applied_revision !== null && { appliedRevision: row.applied_revision }),
    ...(row.problem !== null && { problem: row.problem }),
    ...(row.bypass !== null && { bypass: row.bypass }),
  }
}

/** Returns whether the service applies the change or its next step by itself. */
function isWaiting({ state, due_at_ms, apply_at_ms }: ChangeRow): boolean {
  return (state === 'open' || state === 'running') && (due_at_ms ?? apply_at_ms) !== null
}

/** The stage of a change at this moment. */
export interface Surroundings {
  readonly revision: number
  /** The touched variables as they are; empty for a settled change. */
  readonly current: readonly DigestEntry[]
  /** Replaces the digests of a variable if the viewer may not read its values. */
  readonly shownDigests: (variable: Pick<Digested, 'name' | 'digests'>) => Digested['digests']
  /** Proposed values that the viewer sees without a reveal, by name. */
  readonly plain: ReadonlyMap<string, ProposedValues>
}

export function shownChange(
  reviewed: Reviewed,
  { revision, current, shownDigests, plain }: Surroundings,
  viewer: Viewer,
): ShownChange {
  const { row, reviews, makers, conflicts } = reviewed
  const { items, source } = contentOf(row)
  const {
    permissions: { policy },
    nowMs,
  } = viewer
  const listed = listedChange(reviewed, viewer)
  const lacks =
    canMove(row.state, 'review') &&
    !listed.approvals.isApproved &&
    lacksApprovers(policy, placeOf(row), authorsOf(row, makers), nowMs)
  const before = new Map(current.map((entry) => [entry.name, { ...stateOf(entry), digests: shownDigests(entry) }]))
  const changedAt = new Map(conflicts.map(({ name, revision: at }) => [name, at]))
  return {
    ...listed,
    digest: row.digest,
    baseRevision: row.base_revision,
    revision,
    source: { ...source },
    items: items.map((item) => ({
      name: item.name,
      action: item.action,
      ...afterOf(item, shownDigests),
      ...optional('before', before.get(item.name)),
      ...optional('plain', plain.get(item.name)),
      ...optional('changedAt', changedAt.get(item.name)),
    })),
    ...optional('frozenUntilMs', freezeEndMs(policy.protectionOf(placeOf(row)).freezes, nowMs)),
    ...(lacks && { lacksApprovers: true }),
    reviews: reviews
      .toSorted((a, b) => a.reviewed_at_ms - b.reviewed_at_ms || compareCodePoints(a.reviewer, b.reviewer))
      .map(({ reviewer, verdict, comment, reviewed_at_ms: reviewedAtMs, digest }) => ({
        reviewer,
        verdict,
        ...(comment !== null && { comment }),
        reviewedAtMs,
        isCurrent: digest === row.digest,
        counts: digest === row.digest && mayApprove(policy, row, reviewer, nowMs),
      })),
  }
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [Key in Name]?: Value }
}

type State = Omit<Digested, 'name'>

function stateOf({ name: _name, updatedAtMs: _updatedAtMs, updatedBy: _updatedBy, ...state }: DigestEntry): State {
  return state
}

function afterOf(
  item: ProposedItem,
  shownDigests: Surroundings['shownDigests'],
): { readonly after?: State; readonly chance?: number } {
  if (item.action === 'chance') return { chance: item.chance }
  if (!isPut(item)) return {}
  const { kind, declaredType, attributes } = item
  return { after: { kind, ...(declaredType && { declaredType }), ...attributes, digests: shownDigests(item) } }
}
