/**
 * Proposed changes of stages: proposing, reviewing, editing and settling them (docs/change.md). A change moves by one conditional
 * statement on its state and its digest, and `apply.ts` writes it.
 */
import { limits, type ChangeMove, type Request } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/random.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { noStage } from '../stages/projects.ts'
import type { Stage, StageRef, Stages } from '../stages/stages.ts'
import type { CopySource } from '../variables/changes/copy.ts'
import type { Actor } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/changes.ts'
import type { ChangeRow, ChangeValueRow } from '../storage/changes.ts'
import { makersOf } from '../storage/makers.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { authorsOf, placeOf } from './approvals.ts'
import {
  assertRotationSteps,
  contentOf,
  digestOf,
  joined,
  namesOf,
  rotationOf,
  withoutNames,
  type Content,
} from './content.ts'
import type { ContentRequest, Draft, Drafts } from './drafts.ts'
import { assertMovable, editedError, stateError } from './moves.ts'
import type { ChangeCaller, ChangeReader } from './reader.ts'
import type { ShownChange } from './view.ts'

/** What a request says, without its stage. `copyFrom` is the source of its `copy`, if that exists for the caller. */
type Of<Name extends 'changePropose' | 'changeEdit'> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'> & {
  readonly copyFrom?: CopySource | undefined
}

type Reviewing = Pick<Request<'changeReview'>, 'id' | 'digest' | 'verdict' | 'comment'>
type Rescheduling = Pick<Request<'changeReschedule'>, 'id' | 'digest' | 'applyAtMs' | 'steps' | 'zone'>

/** What is not known of a change before it is settled. */
const unsettled = {
  settled_by: null,
  settled_at_ms: null,
  applied_revision: null,
  problem: null,
  due_at_ms: null,
  steps_done: 0,
  delay_days: 0,
  bypass: null,
  approved_by: null,
} as const

export class Changes {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #drafts: Drafts
  readonly #reader: ChangeReader
  readonly #clock: Clock

  constructor(parts: {
    sql: Sql
    stages: Stages
    keyring: Keyring
    drafts: Drafts
    reader: ChangeReader
    clock: Clock
  }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#drafts = parts.drafts
    this.#reader = parts.reader
    this.#clock = parts.clock
  }

  /** Proposes a change. Throws NOT_FOUND, and what a direct write of the same content throws. */
  async propose(by: ChangeCaller, stageRef: StageRef, request: Of<'changePropose'>): Promise<ShownChange> {
    const { actor } = by
    const { reason, ramp, applyAtMs, zone, ifRevision, copyFrom } = request
    if (ramp && applyAtMs !== undefined)
      throw new ApiError('INVALID_REQUEST', 'A ramp begins at the time of its first step: leave out applyAtMs.')
    const id = newId('chg')
    const isTimed = ramp !== undefined || applyAtMs !== undefined
    const isPlan = isTimed && by.permissions.policy.protectionOf(stageRef).approvals === 0
    const row = await this.#sealedNow(stageRef, async (stage) => {
      if (ifRevision !== undefined && ifRevision !== stage.revision)
        throw new ApiError('REVISION_CONFLICT', `The stage is at revision ${stage.revision}, not ${ifRevision}.`)
      const draft = await this.#drafts.draft(id, { stage, stageSlug: stageRef.stageSlug }, request, copyFrom)
      const nowMs = this.#clock.now()
      const proposed = this.#digested(stage, {
        id,
        org_id: stage.orgId,
        stage_id: stage.stageId,
        project_slug: stageRef.projectSlug,
        stage_slug: stageRef.stageSlug,
        state: 'open',
        reason,
        content: JSON.stringify(draft.content),
        digest: '',
        base_revision: stage.revision,
        apply_at_ms: ramp?.steps[0]?.atMs ?? applyAtMs ?? null,
        zone: zone ?? null,
        authors: JSON.stringify([actor.id, ...((await makersOf(this.#sql, [actor.id], nowMs)).get(actor.id) ?? [])]),
        proposed_by: actor.id,
        proposed_with: actor.client,
        proposed_at_ms: nowMs,
        updated_at_ms: nowMs,
        ...unsettled,
      })
      const insert = async (tx: Tx): Promise<void> => {
        assertFewOpen(await store.countOpenChanges(tx, stage.stageId, actor.id), by)
        await store.insertChange(tx, proposed)
        await insertValues(tx, proposed, draft.values)
        await this.#record(tx, actor, 'change.propose', proposed, isPlan ? { isPlanned: true } : {})
      }
      return { row: proposed, store: insert, draft }
    })
    return this.#reader.shown(by, row)
  }

  /** Replaces what a change proposes. Throws NOT_FOUND, FORBIDDEN, CHANGE_CONFLICT, and what `propose` throws. */
  async edit(by: ChangeCaller, stageRef: StageRef, request: Of<'changeEdit'>): Promise<ShownChange> {
    const { actor } = by
    const former = await this.#ofAuthor(by, stageRef, request, 'edit')
    const row = await this.#sealedNow(stageRef, async (stage) => {
      const { without } = request
      const draft = hasContent(request)
        ? await this.#drafts.draft(former.id, { stage, stageSlug: stageRef.stageSlug }, request, request.copyFrom)
        : undefined
      const kept = without && withoutNames(contentOf(former), without)
      const content = kept ? joined(kept, draft?.content) : (draft?.content ?? contentOf(former))
      const isReplaced = draft !== undefined && !kept
      const wasRamp = contentOf(former).steps !== undefined
      const edited = this.#digested(stage, {
        ...former,
        state: 'open',
        reason: request.reason ?? former.reason,
        content: JSON.stringify(content),
        base_revision: isReplaced || request.rebase ? stage.revision : former.base_revision,
        apply_at_ms: content.steps?.[0]?.atMs ?? (wasRamp ? null : former.apply_at_ms),
        updated_at_ms: this.#clock.now(),
        problem: null,
      })
      const replace = async (tx: Tx): Promise<void> => {
        await this.#replace(tx, 'edit', former, edited)
        if (isReplaced) await store.deleteChangeValues(tx, former.id)
        for (const name of without ?? []) await store.deleteChangeValue(tx, former.id, name)
        if (draft || without) await insertValues(tx, former, draft?.values ?? [])
        await this.#record(
          tx,
          actor,
          'change.edit',
          edited,
          draft || without || !request.rebase ? {} : { isRebase: true },
        )
      }
      return { row: edited, store: replace, draft }
    })
    return this.#reader.shown(by, row)
  }

  /** Changes when a change is applied. Throws NOT_FOUND, FORBIDDEN, INVALID_REQUEST and CHANGE_CONFLICT. */
  async reschedule(by: ChangeCaller, stageRef: StageRef, request: Rescheduling): Promise<ShownChange> {
    const { applyAtMs, steps, zone } = request
    const former = await this.#ofAuthor(by, stageRef, request, 'reschedule')
    const content = contentOf(former)
    const isRamp = content.steps !== undefined
    if (isRamp ? applyAtMs !== undefined : steps !== undefined)
      throw new ApiError(
        'INVALID_REQUEST',
        isRamp
          ? 'A ramp begins at the time of its first step: state steps instead of applyAtMs.'
          : 'The change is not a ramp, so it has no steps: state applyAtMs instead.',
      )
    const row = this.#digested(await this.#stageOf(stageRef), {
      ...former,
      state: 'open',
      content: steps ? JSON.stringify(withSteps(content, steps)) : former.content,
      apply_at_ms: steps?.[0]?.atMs ?? (applyAtMs === undefined ? former.apply_at_ms : applyAtMs),
      zone: zone === undefined ? former.zone : zone,
      updated_at_ms: this.#clock.now(),
      problem: null,
    })
    await this.#sql.tx(async (tx) => {
      await store.noteMove(tx, row.stage_id)
      await this.#replace(tx, 'reschedule', former, row)
      await this.#record(tx, by.actor, 'change.reschedule', row)
    })
    return this.#reader.shown(by, row)
  }

  /** Records what a person says about exactly this content. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async review(
    by: ChangeCaller,
    stageRef: StageRef,
    { id, digest, verdict, comment }: Reviewing,
  ): Promise<ShownChange> {
    const { actor } = by
    const row = await this.#reader.find(stageRef, id)
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      await store.noteMove(tx, row.stage_id)
      // Locks the change, so that no one applies it in between.
      if (!(await store.moveChange(tx, 'review', { id, digest, nowMs }))) throw await this.#conflict(tx, row, digest)
      await store.putReview(tx, {
        change_id: id,
        reviewer: actor.id,
        digest,
        verdict,
        comment: comment ?? null,
        reviewed_at_ms: nowMs,
      })
      await this.#record(tx, actor, verdict === 'approve' ? 'change.approve' : 'change.reject', row)
    })
    return this.#reader.shown(by, { ...row, digest, updated_at_ms: nowMs })
  }

  /** Gives a change up and deletes its values. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async withdraw({ actor }: ChangeCaller, stageRef: StageRef, id: string): Promise<void> {
    const row = await this.#reader.find(stageRef, id)
    await this.#sql.tx(async (tx) => {
      await store.noteMove(tx, row.stage_id)
      if (!(await store.moveChange(tx, 'withdraw', { id, by: actor.id, nowMs: this.#clock.now() })))
        throw await this.#conflict(tx, row)
      await store.deleteChangeValues(tx, id)
      await this.#record(tx, actor, 'change.withdraw', row)
    })
  }

  /** Returns a change that the caller has proposed and that can be moved, with those who are its authors by now. Throws NOT_FOUND, FORBIDDEN and CHANGE_CONFLICT. */
  async #ofAuthor(
    { actor }: ChangeCaller,
    stageRef: StageRef,
    { id, digest }: { readonly id: string; readonly digest?: string | undefined },
    move: ChangeMove,
  ): Promise<ChangeRow> {
    const row = await this.#reader.find(stageRef, id)
    // Another person's content would be approved as if the proposer had made it.
    if (row.proposed_by !== actor.id)
      throw new ApiError(
        'FORBIDDEN',
        'Only the one who proposed a change can edit or reschedule it: withdraw it, or propose another.',
      )
    assertMovable(row, move, digest)
    const makers = await makersOf(this.#sql, [row.proposed_by], this.#clock.now())
    return { ...row, authors: JSON.stringify(authorsOf(row, makers)) }
  }

  /** Returns the stage. Throws NOT_FOUND. */
  async #stageOf(stageRef: StageRef): Promise<Stage> {
    const stage = await this.#stages.current(stageRef)
    if (!stage) throw noStage(stageRef.stageSlug)
    return stage
  }

  /**
   * Stores what `prepare` has sealed, in a transaction in which the stage exists and its key still seals. Otherwise prepares it again.
   */
  async #sealedNow(
    stageRef: StageRef,
    prepare: (stage: Stage) => Promise<{
      readonly row: ChangeRow
      readonly store: (tx: Tx) => Promise<void>
      readonly draft: Draft | undefined
    }>,
  ): Promise<ChangeRow> {
    for (;;) {
      const stage = await this.#stageOf(stageRef)
      const { row, store: storeAll, draft } = await prepare(stage)
      const isStored = await this.#sql.tx(async (tx) => {
        await store.noteMove(tx, stage.stageId)
        const { keyId } = stage.sealer
        const seals = draft !== undefined && draft.values.length > 0 && keyId !== undefined
        if (seals && !(await this.#keyring.maySeal(tx, stage.projectId, keyId))) return false
        await storeAll(tx)
        return true
      })
      if (isStored) return row
      this.#stages.forget(stageRef)
    }
  }

  #digested({ orgId }: Pick<Stage, 'orgId'>, row: ChangeRow): ChangeRow {
    return { ...row, digest: digestOf(this.#keyring.digesterOf(orgId), row) }
  }

  /** Replaces what a change proposes. Throws CHANGE_CONFLICT if it is not what it was. */
  async #replace(tx: Tx, move: 'edit' | 'reschedule', former: ChangeRow, row: ChangeRow): Promise<void> {
    const edit = { ...row, formerDigest: former.digest, nowMs: row.updated_at_ms }
    if (!(await store.editChange(tx, move, edit))) throw await this.#conflict(tx, former, former.digest)
  }

  /** Returns why a change could not be moved. */
  async #conflict(tx: Tx, { id }: ChangeRow, digest?: string): Promise<ApiError> {
    const row = await store.changeById(tx, id)
    if (row && digest !== undefined && row.digest !== digest) return editedError()
    return stateError(row)
  }

  async #record(
    tx: Tx,
    actor: Actor,
    action: `change.${'propose' | 'edit' | 'reschedule' | 'approve' | 'reject' | 'withdraw'}`,
    row: ChangeRow,
    more: { readonly isPlanned?: true; readonly isRebase?: true } = {},
  ): Promise<void> {
    const names = namesOf(contentOf(row))
    const facts = { changeId: row.id, ...more }
    await appendAudit(tx, actor, { action, ...placeOf(row), names, facts, nowMs: this.#clock.now() })
  }
}

function tooMany(whose: string, maximum: number): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `${whose} ${maximum} changes of the stage that are not settled (the maximum): apply or withdraw some.`,
  )
}

/** Throws INVALID_REQUEST if the stage, its machines or the caller have too many changes that are not settled. */
function assertFewOpen({ all, ofMachines, own }: store.OpenChanges, { isMachine }: ChangeCaller): void {
  const { openChanges, openChangesOfOne } = limits
  if (all >= openChanges) throw tooMany('There are', openChanges)
  if (isMachine && ofMachines >= openChangesOfOne)
    throw tooMany('Service tokens and trusts have proposed', openChangesOfOne)
  if (!isMachine && own >= openChangesOfOne) throw tooMany('You have proposed', openChangesOfOne)
}

/** Stores the values of a change. Throws INVALID_REQUEST if the open changes of its stage propose too much. */
async function insertValues(
  tx: Tx,
  { id, stage_id: stageId }: Pick<ChangeRow, 'id' | 'stage_id'>,
  values: readonly ChangeValueRow[],
): Promise<void> {
  await Promise.all(values.map((value) => store.insertChangeValue(tx, value)))
  await store.keepValueBytes(tx, id)
  if (values.length === 0 || (await store.proposedBytesOf(tx, stageId)) <= limits.stageBytes) return
  throw new ApiError(
    'INVALID_REQUEST',
    `The changes of the stage that are not settled would propose more than ${limits.stageBytes} bytes (the maximum): apply or withdraw some.`,
  )
}

function hasContent({ entries, deletes, updates, copy, restore, ramp }: ContentRequest): boolean {
  return [entries, deletes, updates, copy, restore, ramp].some((each) => each !== undefined)
}

function withSteps(content: Content, steps: NonNullable<Content['steps']>): Content {
  if (rotationOf(content)) {
    assertRotationSteps(steps)
    return { ...content, steps }
  }
  const chance = steps.at(-1)?.chance ?? 0
  return { ...content, steps, items: content.items.map(({ name }) => ({ action: 'chance', name, chance })) }
}
