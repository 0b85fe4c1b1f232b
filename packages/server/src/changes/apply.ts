/** Applies changes: the normal write of a stage, which settles the change in the same transaction (docs/change.md). */
import { type Response } from '@rollkey/contract'
import type { Access } from '../access/access.ts'
import type { Policy } from '../access/policy.ts'
import { assertNotFrozen } from '../access/protection.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { nameOf } from '../base/place-name.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { keyIdOfPacked } from '../stages/payloads.ts'
import { throwNotFound, type Stage, type StageRef } from '../stages/stages.ts'
import type { AuditEvent } from '../storage/audit.ts'
import * as store from '../storage/changes.ts'
import type { ChangeRow, LastChange } from '../storage/changes.ts'
import { makersOf } from '../storage/makers.ts'
import type { Reader, Tx } from '../storage/sql.ts'
import type { WriteContext } from '../storage/variables.ts'
import { beginningOfRotation } from '../variables/changes/rotation.ts'
import { changeOfChance } from '../variables/changes/updates.ts'
import type { Change, Effect, Put } from '../variables/changes/change.ts'
import { openOrFail } from '../variables/opening.ts'
import { hasDigests, openProposed, type OpenValues } from '../variables/proposed.ts'
import { sealValues } from '../variables/values.ts'
import type { VariableWriter } from '../variables/write.ts'
import { approvalsOf, placeOf } from './approvals.ts'
import { assertMovable, stateError } from './moves.ts'
import type { ChangeCaller, ChangeReader } from './reader.ts'
import { conflictsOf } from './conflicts.ts'
import { mayProposerWrite } from './proposer.ts'
import { contentOf, digestOf, isPut, namesOf, rotationOf, type Content, type ProposedPut } from './content.ts'

/** Returns the roles of people at the identity provider, or that they were removed. */
type RoleOf = (idpOrgId: string, userId: string) => Promise<string>

/** What a request to apply a change says. */
interface ApplyRequest {
  readonly id: string
  readonly digest?: string | undefined
  /** Why it is applied without the approvals; undefined: with them. */
  readonly bypass?: string | undefined
}

/** The first step of a ramp: the chance that is written instead of the last one, and the move of the change. */
export interface RampStart {
  /** Whether no step follows, because all are due. */
  readonly isLast: boolean
  readonly chance: number
  readonly move: (tx: Tx, at: WriteContext) => Promise<boolean>
}

type Written = Response<'changeApply'>

export class Applier {
  readonly #sql: Reader
  readonly #access: Access
  readonly #reader: ChangeReader
  readonly #keyring: Keyring
  readonly #writer: VariableWriter
  readonly #roleOf: RoleOf
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: {
    sql: Reader
    access: Access
    reader: ChangeReader
    keyring: Keyring
    writer: VariableWriter
    roleOf: RoleOf
    clock: Clock
    log: Log
  }) {
    this.#sql = parts.sql
    this.#access = parts.access
    this.#reader = parts.reader
    this.#keyring = parts.keyring
    this.#writer = parts.writer
    this.#roleOf = parts.roleOf
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /**
   * Applies a change. Throws NOT_FOUND, CHANGE_CONFLICT, STAGE_FROZEN, APPROVAL_REQUIRED, REVISION_CONFLICT if a variable that it touches has
   * changed since, and what a write throws.
   */
  async apply(
    by: ChangeCaller & { readonly idpOrgId: string },
    stageRef: StageRef,
    { id, digest, bypass }: ApplyRequest,
  ): Promise<Written> {
    const { actor, permissions } = by
    const row = await this.#reader.find(stageRef, id)
    assertMovable(row, 'apply', digest)
    assertDue(row, this.#clock.now())
    if (bypass !== undefined) assertMayBypass(by, row)
    const change = await this.changeOf(row, permissions.policy, by.idpOrgId, { by: actor.id, bypass })
    return this.#writer.write(stageRef, actor, change)
  }

  /** Returns the write of a change, which settles it if everything that it needs is true in its transaction. */
  async changeOf(
    row: ChangeRow,
    policy: Policy,
    idpOrgId: string,
    {
      by,
      bypass,
      start,
    }: { readonly by: string | undefined; readonly bypass?: string | undefined; readonly start?: RampStart },
  ): Promise<Change> {
    const content = start ? startOf(row, start) : contentOf(row)
    const { approvals } = policy.protectionOf(placeOf(row))
    if (by === undefined && (start || approvals === 0)) await this.#assertMayWrite(row, policy, idpOrgId)
    const isMember = await this.#membersAmong(await store.reviewsOf(this.#sql, [row.id]), idpOrgId)
    const within = async (tx: Tx, at: WriteContext): Promise<AuditEvent[]> => {
      // The rules by which it is approved stay what they are until the commit.
      await this.#access.hold(tx, policy)
      await store.noteMove(tx, row.stage_id)
      const { id, digest } = row
      const { revision, nowMs } = at
      const isMoved = start
        ? await start.move(tx, at)
        : await store.moveChange(tx, 'apply', { id, digest, by, revision, bypass, nowMs })
      if (!isMoved) throw stateError(await store.changeById(tx, id))
      const reviews = await store.reviewsOf(tx, [id])
      const makers = await makersOf(tx, [row.proposed_by], nowMs)
      const { approvers, rejectors, isApproved } = approvalsOf(policy, row, { reviews, makers, nowMs, isMember })
      if (bypass === undefined) {
        assertNotFrozen(placeOf(row), policy.protectionOf(placeOf(row)), nowMs)
        if (!isApproved) throw notApproved(policy, row, approvers, rejectors)
      }
      if (start) await store.noteApprovers(tx, id, approvers)
      await store.deleteChangeValues(tx, id)
      const facts = { changeId: id, proposedBy: row.proposed_by, approvedBy: [...approvers], bypassReason: bypass }
      return [{ action: 'change.apply', ...placeOf(row), names: namesOf(content), revision, facts }]
    }
    const isChance = content.items.every(({ action }) => action === 'chance')
    return {
      action: isChance ? 'chance' : 'write',
      decide: async (stage) =>
        this.#effectOf(row, content, stage ?? throwNotFound(content.items[0]?.name ?? ''), start),
      within,
      ...(start && { ramp: row.id }),
    }
  }

  /**
   * Returns why a ramp may not go on, or undefined: its proposer may no longer write, or the stage requires approvals by now that neither
   * counted at its start nor count now.
   */
  async problemOfStep(row: ChangeRow, policy: Policy, idpOrgId: string): Promise<string | undefined> {
    const place = placeOf(row)
    if (!(await this.#mayProposerWrite(row, policy, idpOrgId)))
      return `The one who proposed the ramp may no longer write ${nameOf(place)}: let them write it again and resume the ramp, or abort it.`
    const { approvals } = policy.protectionOf(place)
    if (approvals === 0) return undefined
    const nowMs = this.#clock.now()
    const reviews = await store.reviewsOf(this.#sql, [row.id])
    const makers = await makersOf(this.#sql, [row.proposed_by], nowMs)
    const isMember = await this.#membersAmong(reviews, idpOrgId)
    const { approvers } = approvalsOf(policy, row, { reviews, makers, nowMs, isMember })
    const counted = new Set([...(JSON.parse(row.approved_by ?? '[]') as string[]), ...approvers])
    if (counted.size >= approvals) return undefined
    return `By now, ${nameOf(place)} requires approvals (${approvals}), and the ramp has ${counted.size}: abort it, and propose the rest of it.`
  }

  async #mayProposerWrite(row: ChangeRow, policy: Policy, idpOrgId: string): Promise<boolean> {
    const isMember = async (userId: string) => (await this.#roleOf(idpOrgId, userId)) !== 'removed'
    return mayProposerWrite(row, { sql: this.#sql, policy, nowMs: this.#clock.now(), isMember })
  }

  /** Throws FORBIDDEN if the proposer of a change that the service applies may not write the stage any more. */
  async #assertMayWrite(row: ChangeRow, policy: Policy, idpOrgId: string): Promise<void> {
    if (await this.#mayProposerWrite(row, policy, idpOrgId)) return
    throw new ApiError(
      'FORBIDDEN',
      `The one who proposed the change may no longer write ${nameOf(placeOf(row))}: withdraw it, and propose it again.`,
    )
  }

  /** Returns a function that returns whether a reviewer is still a member. */
  async #membersAmong(reviews: readonly store.ReviewRow[], idpOrgId: string): Promise<(userId: string) => boolean> {
    const reviewers = [...new Set(reviews.map(({ reviewer }) => reviewer))]
    const roles = await Promise.all(reviewers.map((reviewer) => this.#roleOf(idpOrgId, reviewer)))
    const members = new Set(reviewers.filter((_, index) => roles[index] !== 'removed'))
    // Not those who review while this runs: they count in the next try.
    return (userId) => members.has(userId)
  }

  /** Returns what a change does to the stage. Throws REVISION_CONFLICT, CHANGE_CONFLICT and EVALUATION_FAILED. */
  async #effectOf(row: ChangeRow, content: Content, stage: Stage, start?: RampStart): Promise<Effect> {
    const values = await store.changeValuesOf(this.#sql, row.id)
    const conflicts = await conflictsOf(this.#sql, [row])
    // Read last, so that the values are those of this content, and no later change is this one itself.
    const current = await store.changeById(this.#sql, row.id)
    if (!current) throw stateError(current)
    assertMovable(current, 'apply', row.digest)
    assertUnchanged(row, conflicts(row))
    if (digestOf(this.#keyring.digesterOf(row.org_id), row) !== row.digest) throw damaged()
    const sealer = await this.#keyring.sealerOf(
      stage,
      values.map(({ sealed }) => keyIdOfPacked(sealed)),
    )
    const sealed = new Map(values.map((value) => [value.name, value.sealed]))
    const puts = openOrFail(stage, this.#log, () =>
      content.items.filter(isPut).map((item) => {
        const target = { changeId: row.id, name: item.name, kind: item.kind }
        const open = openProposed(sealer, target, sealed.get(item.name) ?? Buffer.alloc(0))
        this.#assertDigests(row, item, open)
        if (!start || start.isLast) return putOf(item, open)
        const first = { name: item.name, value: open.values[0] ?? '', chance: start.chance }
        return beginningOfRotation(stage, first, this.#log)
      }),
    )
    const chances = content.items.flatMap((item) => (item.action === 'chance' ? [item] : []))
    const effects = await Promise.all(chances.map(async (item) => changeOfChance(item).decide(stage)))
    return {
      puts: [...puts, ...effects.flatMap((effect) => effect.puts)],
      deletes: content.items
        .filter(({ action, name }) => action === 'delete' && stage.variables.has(name))
        .map(({ name }) => name),
    }
  }

  /** Throws CHANGE_CONFLICT if the values are not those that were approved. */
  #assertDigests(row: ChangeRow, put: ProposedPut, open: OpenValues): void {
    if (!hasDigests(this.#keyring.digesterOf(row.org_id), put, open)) throw damaged()
  }
}

/** Returns the content of the first step of a ramp. */
function startOf(row: ChangeRow, { chance }: RampStart): Content {
  const content = contentOf(row)
  if (rotationOf(content)) return content
  return { ...content, items: content.items.map(({ name }) => ({ action: 'chance', name, chance })) }
}

/** Throws REVISION_CONFLICT if a variable that the change touches has changed since the revision on which it is based. */
function assertUnchanged(row: ChangeRow, [first]: readonly LastChange[]): void {
  if (!first) return
  throw new ApiError(
    'REVISION_CONFLICT',
    `${JSON.stringify(first.name)} changed in revision ${first.revision}, after the change was proposed (revision ${row.base_revision}): base the change on the present state, or withdraw it.`,
  )
}

function putOf({ name, kind, declaredType, attributes, keepsValues }: ProposedPut, open: OpenValues): Put {
  return {
    name,
    keepsValues,
    seal: (sealer) => ({
      name,
      kind,
      declaredType: declaredType ?? null,
      attributes: JSON.stringify(attributes),
      sealed: sealValues(sealer, { name, kind }, open),
    }),
  }
}

/** Throws CHANGE_CONFLICT if the service applies the change by itself, later or step by step: its times are approved with it. */
function assertDue(row: ChangeRow, nowMs: number): void {
  if (contentOf(row).steps)
    throw new ApiError('CHANGE_CONFLICT', 'The change is a ramp, which the service applies step by step: wait for it.')
  if (row.apply_at_ms !== null && row.apply_at_ms > nowMs)
    throw new ApiError(
      'CHANGE_CONFLICT',
      `The change is applied at ${new Date(row.apply_at_ms).toISOString()}: wait until then, or reschedule it.`,
    )
}

function damaged(): ApiError {
  return new ApiError(
    'CHANGE_CONFLICT',
    'The stored change is not what was proposed, so it cannot be applied: withdraw it and propose another.',
  )
}

/** Returns the refusal of a change without enough approvals. */
function notApproved(
  policy: Policy,
  row: ChangeRow,
  approvers: readonly string[],
  rejectors: readonly string[],
): ApiError {
  const { approvals } = policy.protectionOf(placeOf(row))
  if (rejectors.length > 0)
    return new ApiError('APPROVAL_REQUIRED', 'A reviewer has rejected the change: edit it, or ask them to approve it.')
  return new ApiError(
    'APPROVAL_REQUIRED',
    `The change has ${approvers.length} of the ${approvals} approvals that ${nameOf(placeOf(row))} requires: ask someone with "approve" there.`,
  )
}

/** Throws FORBIDDEN unless the caller is a person with the verbs of the role that may bypass the protection. */
function assertMayBypass({ permissions, isMachine }: ChangeCaller, row: ChangeRow): void {
  const place = placeOf(row)
  const { policy } = permissions
  const { bypassRole } = policy.protectionOf(place)
  if (!isMachine && bypassRole !== null && policy.hasRole(bypassRole)) {
    if (permissions.missing(policy.verbsOf(bypassRole), place).length === 0) return
  }
  throw new ApiError(
    'FORBIDDEN',
    bypassRole === null
      ? `No one may bypass the protection of ${nameOf(place)}: get the change approved.`
      : `Only people with the verbs of the role ${bypassRole} may bypass the protection of ${nameOf(place)}: get the change approved.`,
  )
}
