/**
 * Proposed changes of stages: proposing, reviewing, editing and settling them (docs/change.md). A change moves by one conditional
 * statement on its state and its digest, and `apply.ts` writes it.
 */
import { canMove, limits, type ChangeMove, type Request, type WriteEntry, valueFieldsOf } from '@rollkey/contract'
import type { Permissions } from '../access/permissions.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { newId } from '../base/random.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Digests } from '../evaluation/digests.ts'
import { keyIdOfPacked } from '../stages/payloads.ts'
import { noStage } from '../stages/projects.ts'
import { throwNotFound, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import type { Actor } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/changes.ts'
import type { ChangePosition, ChangeRow, ChangeValueRow } from '../storage/changes.ts'
import { makersOf } from '../storage/makers.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { openOrFail } from '../variables/opening.ts'
import { openProposed } from '../variables/proposed.ts'
import { authorsOf, placeOf } from './approvals.ts'
import { conflictsOf } from './conflicts.ts'
import { contentOf, digestOf, isPut, namesOf, type Content } from './content.ts'
import type { ContentRequest, Draft, Drafts } from './drafts.ts'
import { plainProposals } from './plain-proposals.ts'
import { listedChange, shownChange, type ListedChange, type ShownChange, type Viewer } from './view.ts'

/** Who makes a request about changes. */
export interface ChangeCaller {
  readonly actor: Actor
  readonly permissions: Permissions
  /** Whether it is a service token or the token of a trust. */
  readonly isMachine: boolean
}

/** What a request says, without its stage. `copyFrom` is the stage of its `copy`, if that exists for the caller. */
type Of<Name extends 'changePropose' | 'changeEdit'> = Omit<Request<Name>, 'orgSlug' | 'projectSlug' | 'stageSlug'> & {
  readonly copyFrom?: StageRef | undefined
}

type Reviewing = Pick<Request<'changeReview'>, 'id' | 'digest' | 'verdict' | 'comment'>
type Rescheduling = Pick<Request<'changeReschedule'>, 'id' | 'digest' | 'applyAtMs' | 'steps' | 'zone'>
type Listing = Omit<Request<'changeList'>, 'orgSlug'>

/** Changes that a statement about those of an organization looks at. */
const changesPerStatement = 500

export class Changes {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #drafts: Drafts
  readonly #digests: Digests
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: {
    sql: Sql
    stages: Stages
    keyring: Keyring
    drafts: Drafts
    digests: Digests
    clock: Clock
    log: Log
  }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#drafts = parts.drafts
    this.#digests = parts.digests
    this.#clock = parts.clock
    this.#log = parts.log
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
      const draft = await this.#drafts.draft(id, stage, request, copyFrom)
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
        settled_by: null,
        settled_at_ms: null,
        applied_revision: null,
        problem: null,
        due_at_ms: null,
        steps_done: 0,
        delay_days: 0,
        bypass: null,
        approved_by: null,
      })
      const insert = async (tx: Tx): Promise<void> => {
        assertFewOpen(await store.countOpenChanges(tx, stage.stageId, actor.id), by)
        await store.insertChange(tx, proposed)
        await insertValues(tx, draft.values)
        await this.#record(tx, actor, 'change.propose', proposed, isPlan ? { isPlanned: true } : {})
      }
      return { row: proposed, store: insert, draft }
    })
    return this.#shown(by, row)
  }

  /** Returns the changes of the stages that `isVisible` accepts, newest first. */
  async list(
    { permissions, actor, isMachine }: ChangeCaller,
    { before, limit, ...filter }: Listing,
  ): Promise<{ changes: ListedChange[]; more: boolean }> {
    const orgId = permissions.policy.id
    const found: ChangeRow[] = []
    const start = before === undefined ? undefined : await store.changeById(this.#sql, before)
    let last: ChangePosition | undefined = start?.org_id === orgId ? start : undefined
    const slices = new TimeSlices()
    for (let isEnd = false; !isEnd && found.length <= limit;) {
      // Few may match the filter, or be visible.
      const from = await store.changeEarlierBy(this.#sql, orgId, changesPerStatement, last)
      const rows = await store.changesMatching(this.#sql, orgId, { ...filter, before: last, from }, limit + 1)
      found.push(...rows.filter((row) => permissions.isVisible(placeOf(row))))
      last = rows.length > limit ? rows.at(-1) : from
      isEnd = last === undefined
      if (slices.isOver) await slices.next()
    }
    const page = found.slice(0, limit)
    const ids = page.map(({ id }) => id)
    const reviews = Map.groupBy(await store.reviewsOf(this.#sql, ids), ({ change_id: id }) => id)
    const conflicts = await conflictsOf(this.#sql, page)
    const viewer = { permissions, personId: isMachine ? undefined : actor.id, nowMs: this.#clock.now() }
    const makers = await makersOf(this.#sql, [...new Set(page.map((row) => row.proposed_by))], viewer.nowMs)
    return {
      changes: page.map((row) =>
        listedChange({ row, reviews: reviews.get(row.id) ?? [], makers, conflicts: conflicts(row) }, viewer),
      ),
      more: found.length > limit,
    }
  }

  /** Shows a change. `seesPlain`: with the values that are not secret. Throws NOT_FOUND. */
  async show(by: ChangeCaller, stageRef: StageRef, id: string, seesPlain = false): Promise<ShownChange> {
    return this.#shown(by, await this.find(stageRef, id), seesPlain)
  }

  /** Returns proposed variables with their values, and records it. Throws NOT_FOUND, VARIABLE_NOT_FOUND and EVALUATION_FAILED. */
  async reveal(actor: Actor, stageRef: StageRef, id: string, names: readonly string[]): Promise<WriteEntry[]> {
    const row = await this.find(stageRef, id)
    const stage = await this.#stageOf(stageRef)
    const values = await store.changeValuesOf(this.#sql, id)
    const sealer = await this.#keyring.sealerOf(
      stage,
      values.map(({ sealed }) => keyIdOfPacked(sealed)),
    )
    const puts = new Map(
      contentOf(row)
        .items.filter(isPut)
        .map((item) => [item.name, item]),
    )
    const revealed = openOrFail(stage, this.#log, () =>
      names.map((name): WriteEntry => {
        const put = puts.get(name) ?? throwNotProposed(name)
        const value = values.find((each) => each.name === name) ?? throwNotProposed(name)
        const open = openProposed(sealer, { changeId: id, name, kind: put.kind }, value.sealed)
        const { pinned, ...attributes } = put.attributes
        return {
          name,
          kind: put.kind,
          ...(put.declaredType && { declaredType: put.declaredType }),
          ...attributes,
          ...valueFieldsOf(put.kind, open.values),
          ...(pinned && open.pins !== undefined && { pins: JSON.parse(open.pins) as object }),
        } as WriteEntry
      }),
    )
    const nowMs = this.#clock.now()
    await this.#sql.tx((tx) =>
      appendAudit(tx, actor, { action: 'reveal', ...placeOf(row), names, facts: { changeId: id }, nowMs }),
    )
    return revealed
  }

  /** Replaces what a change proposes. Throws NOT_FOUND, FORBIDDEN, CHANGE_CONFLICT, and what `propose` throws. */
  async edit(by: ChangeCaller, stageRef: StageRef, request: Of<'changeEdit'>): Promise<ShownChange> {
    const { actor } = by
    const former = await this.#ofAuthor(by, stageRef, request, 'edit')
    const row = await this.#sealedNow(stageRef, async (stage) => {
      const draft = hasContent(request)
        ? await this.#drafts.draft(former.id, stage, request, request.copyFrom)
        : undefined
      const steps = draft ? draft.content.steps : contentOf(former).steps
      const wasRamp = contentOf(former).steps !== undefined
      const edited = this.#digested(stage, {
        ...former,
        state: 'open',
        reason: request.reason ?? former.reason,
        content: draft ? JSON.stringify(draft.content) : former.content,
        base_revision: draft || request.rebase ? stage.revision : former.base_revision,
        apply_at_ms: steps?.[0]?.atMs ?? (wasRamp ? null : former.apply_at_ms),
        updated_at_ms: this.#clock.now(),
        problem: null,
      })
      const replace = async (tx: Tx): Promise<void> => {
        if (draft) await store.deleteChangeValues(tx, former.id)
        await this.#replace(tx, 'edit', former, edited)
        await insertValues(tx, draft?.values ?? [])
        await this.#record(tx, actor, 'change.edit', edited, draft || !request.rebase ? {} : { isRebase: true })
      }
      return { row: edited, store: replace, draft }
    })
    return this.#shown(by, row)
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
    return this.#shown(by, row)
  }

  /** Records what a person says about exactly this content. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async review(
    by: ChangeCaller,
    stageRef: StageRef,
    { id, digest, verdict, comment }: Reviewing,
  ): Promise<ShownChange> {
    const { actor } = by
    const row = await this.find(stageRef, id)
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
    return this.#shown(by, { ...row, digest, updated_at_ms: nowMs })
  }

  /** Gives a change up and deletes its values. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async withdraw({ actor }: ChangeCaller, stageRef: StageRef, id: string): Promise<void> {
    const row = await this.find(stageRef, id)
    await this.#sql.tx(async (tx) => {
      await store.noteMove(tx, row.stage_id)
      if (!(await store.moveChange(tx, 'withdraw', { id, by: actor.id, nowMs: this.#clock.now() })))
        throw await this.#conflict(tx, row)
      await store.deleteChangeValues(tx, id)
      await this.#record(tx, actor, 'change.withdraw', row)
    })
  }

  /** Returns a change of the stage. Throws NOT_FOUND. */
  async find({ orgId, projectSlug, stageSlug }: StageRef, id: string): Promise<ChangeRow> {
    const row = await store.changeById(this.#sql, id)
    if (row?.org_id === orgId && row.project_slug === projectSlug && row.stage_slug === stageSlug) return row
    throw new ApiError('NOT_FOUND', 'The stage has no change with this id: list the changes.')
  }

  /** Returns a change that the caller has proposed and that can be moved, with those who are its authors by now. Throws NOT_FOUND, FORBIDDEN and CHANGE_CONFLICT. */
  async #ofAuthor(
    { actor }: ChangeCaller,
    stageRef: StageRef,
    { id, digest }: { readonly id: string; readonly digest?: string | undefined },
    move: ChangeMove,
  ): Promise<ChangeRow> {
    const row = await this.find(stageRef, id)
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

  async #shown(
    { permissions, actor, isMachine }: ChangeCaller,
    row: ChangeRow,
    seesPlain = false,
  ): Promise<ShownChange> {
    const viewer: Viewer = { permissions, personId: isMachine ? undefined : actor.id, nowMs: this.#clock.now() }
    const stage = await this.#stages.current({ orgId: row.org_id, ...placeOf(row) })
    const reviewed = {
      row,
      reviews: await store.reviewsOf(this.#sql, [row.id]),
      makers: await makersOf(this.#sql, [row.proposed_by], viewer.nowMs),
    }
    if (!stage || row.settled_at_ms !== null)
      return shownChange(
        { ...reviewed, conflicts: [] },
        { revision: stage?.revision ?? 0, current: [], plain: new Map() },
        viewer,
      )
    const conflicts = await conflictsOf(this.#sql, [row])
    return shownChange(
      { ...reviewed, conflicts: conflicts(row) },
      {
        revision: stage.revision,
        current: await this.#digests.of(stage, namesOf(contentOf(row))),
        plain: seesPlain
          ? await plainProposals({ sql: this.#sql, keyring: this.#keyring, log: this.#log }, stage, row)
          : new Map(),
      },
      viewer,
    )
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
async function insertValues(tx: Tx, values: readonly ChangeValueRow[]): Promise<void> {
  const [first] = values
  if (!first) return
  await Promise.all(values.map((value) => store.insertChangeValue(tx, value)))
  if ((await store.proposedBytesOf(tx, first.stage_id)) <= limits.stageBytes) return
  throw new ApiError(
    'INVALID_REQUEST',
    `The changes of the stage that are not settled would propose more than ${limits.stageBytes} bytes (the maximum): apply or withdraw some.`,
  )
}

function hasContent({ entries, deletes, updates, copy, restore, ramp }: ContentRequest): boolean {
  return [entries, deletes, updates, copy, restore, ramp].some((each) => each !== undefined)
}

function withSteps(content: Content, steps: NonNullable<Content['steps']>): Content {
  const chance = steps.at(-1)?.chance ?? 0
  return { ...content, steps, items: content.items.map(({ name }) => ({ action: 'chance', name, chance })) }
}

function throwNotProposed(name: string): never {
  return throwNotFound(name)
}

/** Throws CHANGE_CONFLICT unless the change can be moved and has the digest. */
export function assertMovable(row: ChangeRow, move: ChangeMove, digest: string | undefined): void {
  if (!canMove(row.state, move)) throw stateError(row)
  if (digest !== undefined && row.digest !== digest) throw editedError()
}

function editedError(): ApiError {
  return new ApiError('CHANGE_CONFLICT', 'The change was edited since you saw it: show it again, then decide.')
}

/** Returns the refusal for a change in its state. */
export function stateError(row: ChangeRow | undefined): ApiError {
  return new ApiError(
    'CHANGE_CONFLICT',
    `The change is ${row?.state ?? 'gone'}, which does not allow this: show it again, or propose another.`,
  )
}
