/** What people and machines see of proposed changes. */
import type { Digested, Request, RevealedEntry } from '@rollkey/contract'
import type { Permissions } from '../access/permissions.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Digests } from '../evaluation/digests.ts'
import { keyIdOfPacked } from '../stages/payloads.ts'
import { noStage } from '../stages/projects.ts'
import { throwNotFound, type StageRef, type Stages } from '../stages/stages.ts'
import type { Actor } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import * as store from '../storage/changes.ts'
import type { ChangePosition, ChangeRow } from '../storage/changes.ts'
import { makersOf } from '../storage/makers.ts'
import type { Sql } from '../storage/sql.ts'
import { openOrFail } from '../variables/opening.ts'
import { entryFieldsOf } from '../variables/templates.ts'
import { openProposed } from '../variables/proposed.ts'
import { placeOf } from './approvals.ts'
import { conflictsOf } from './conflicts.ts'
import { contentOf, isPut, namesOf } from './content.ts'
import { plainProposals } from './plain-proposals.ts'
import { listedChange, shownChange, type ListedChange, type ShownChange, type Viewer } from './view.ts'

/** Who makes a request about changes. */
export interface ChangeCaller {
  readonly actor: Actor
  readonly permissions: Permissions
  /** Whether it is a service token or the token of a trust. */
  readonly isMachine: boolean
}

type Listing = Omit<Request<'changeList'>, 'orgSlug'>

/** Changes that a statement about those of an organization looks at. */
const changesPerStatement = 500

interface Parts {
  readonly sql: Sql
  readonly stages: Stages
  readonly keyring: Keyring
  readonly digests: Digests
  readonly clock: Clock
  readonly log: Log
}

export class ChangeReader {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #digests: Digests
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: Parts) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#digests = parts.digests
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Returns a change of the stage. Throws NOT_FOUND. */
  async find({ orgId, projectSlug, stageSlug }: StageRef, id: string): Promise<ChangeRow> {
    const row = await store.changeById(this.#sql, id)
    if (row?.org_id === orgId && row.project_slug === projectSlug && row.stage_slug === stageSlug) return row
    throw new ApiError('NOT_FOUND', 'The stage has no change with this id: list the changes.')
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
    return this.shown(by, await this.find(stageRef, id), seesPlain)
  }

  /** Returns proposed variables with their values, and records it. Throws NOT_FOUND, VARIABLE_NOT_FOUND and EVALUATION_FAILED. */
  async reveal(actor: Actor, stageRef: StageRef, id: string, names: readonly string[]): Promise<RevealedEntry[]> {
    const row = await this.find(stageRef, id)
    const stage = await this.#stages.current(stageRef)
    if (!stage) throw noStage(stageRef.stageSlug)
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
      names.map((name): RevealedEntry => {
        const put = puts.get(name) ?? throwNotFound(name)
        const value = values.find((each) => each.name === name) ?? throwNotFound(name)
        const open = openProposed(sealer, { changeId: id, name, kind: put.kind }, value.sealed)
        const { pinned, template: _, sources: __, ...attributes } = put.attributes
        return {
          name,
          kind: put.kind,
          ...(put.declaredType && { declaredType: put.declaredType }),
          ...attributes,
          ...entryFieldsOf(put.kind, open),
          ...(pinned && open.pins !== undefined && { pins: JSON.parse(open.pins) as object }),
        } as RevealedEntry
      }),
    )
    const nowMs = this.#clock.now()
    await this.#sql.tx((tx) =>
      appendAudit(tx, actor, { action: 'reveal', ...placeOf(row), names, facts: { changeId: id }, nowMs }),
    )
    return revealed
  }

  /** Shows a change from its row. `seesPlain`: with the values that are not secret. */
  async shown(
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
    const shownDigests = permissions.allows('read', placeOf(row))
      ? ({ digests }: Pick<Digested, 'digests'>) => digests
      : this.#keyring.digestHiderOf(row.stage_id)
    if (!stage || row.settled_at_ms !== null)
      return shownChange(
        { ...reviewed, conflicts: [] },
        { revision: stage?.revision ?? 0, current: [], shownDigests, plain: new Map() },
        viewer,
      )
    const conflicts = await conflictsOf(this.#sql, [row])
    return shownChange(
      { ...reviewed, conflicts: conflicts(row) },
      {
        revision: stage.revision,
        current: await this.#digests.of(stage, namesOf(contentOf(row))),
        shownDigests,
        plain: seesPlain
          ? await plainProposals({ sql: this.#sql, keyring: this.#keyring, log: this.#log }, stage, row)
          : new Map(),
      },
      viewer,
    )
  }
}
