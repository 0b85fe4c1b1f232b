/**
 * A write: prepare → reserve → commit → settle. Everything is decided and sealed from a stage in memory. One transaction then
 * moves the stage from exactly that revision to the next. If another node moved the stage first, nothing is stored and the
 * write starts over. Writes to one project on this node run one after the other, so that only another node can cause that.
 */
import { compareCodePoints } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { newId } from '../base/random.ts'
import { KeyedMutex } from '../concurrency/keyed-mutex.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { lockCreatesOnWrite } from '../storage/organizations.ts'
import { isArchived } from '../storage/projects.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { advanceRevision } from '../storage/stages.ts'
import {
  deleteVariable,
  putVariable,
  type Origin,
  type VariableState,
  type WriteContext,
} from '../storage/variables.ts'
import type { Change, Effect } from './changes/change.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { archived, Placement, type PlannedProject } from '../stages/placement.ts'
import { assertFits, type StageSize } from '../stages/stage-size.ts'
import { withChanges, type Changes, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
import { resealed } from './values.ts'

/** The result of a write, with names in wire order. */
export interface WriteResult {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly revision: number
}

/** The target of a write: what exists, and what the write must create first. */
interface Target extends PlannedProject {
  readonly stageId: string
  /** The stage; undefined if the write creates it. */
  readonly stage: Stage | undefined
  readonly sealer: Sealer
}

interface WritePlan {
  readonly target: Target
  readonly puts: readonly { readonly state: VariableState; readonly origin: Origin }[]
  /** Billed bytes after minus before. */
  readonly growth: number
  readonly result: WriteResult
}

type CommitResult = { readonly reservation: Reservation } | 'moved' | 'over the limit'

const noCreation =
  'The project or stage does not exist, and a setting of the organization prevents writes from creating it: create it first.'

const nothing: ReadonlyMap<string, StoredVariable> = new Map()

export class VariableWriter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #placement: Placement
  readonly #meter: Meter
  readonly #clock: Clock
  readonly #maxSize: StageSize
  readonly #turns = new KeyedMutex()

  /** `maxSize` is the maximum size of a stage. */
  constructor(parts: { sql: Sql; stages: Stages; keyring: Keyring; meter: Meter; clock: Clock; maxSize: StageSize }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#placement = new Placement(parts)
    this.#meter = parts.meter
    this.#clock = parts.clock
    this.#maxSize = parts.maxSize
  }

  /** Writes a change. Throws ApiError. */
  write(address: StageRef, actor: Actor, change: Change): Promise<WriteResult> {
    const turn = `${address.orgId}/${address.projectSlug}`
    return this.#turns.run(turn, async () => {
      for (;;) {
        const result = await this.#attempt(address, actor, change)
        if (result) return result
      }
    })
  }

  /** Returns undefined if another node moved the stage or replaced the key first. */
  async #attempt(address: StageRef, actor: Actor, change: Change): Promise<WriteResult | undefined> {
    const stage = await this.#stages.current(address)
    const effect = await change.decide(stage)
    if (effect.puts.length === 0 && effect.deletes.length === 0) {
      return { created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 }
    }
    const prepared = prepare(await this.#target(address, stage), effect, change.action)
    this.#assertFits(stage, prepared)
    const committed = await this.#commit(address, actor, change.action, prepared)
    if (committed === 'moved') return undefined
    if (committed === 'over the limit') {
      throw new ApiError(
        'USAGE_LIMIT_EXCEEDED',
        'The write would exceed the storage limit of the plan, so nothing was stored: delete variables, or change the plan.',
      )
    }
    this.#meter.settle(committed.reservation)
    return prepared.result
  }

  async #target(address: StageRef, stage: Stage | undefined): Promise<Target> {
    if (stage) {
      const { projectId, stageId, sealer } = stage
      return { projectId, newKey: undefined, stageId, stage, sealer }
    }
    const { projectId, newKey } = await this.#placement.planProject(address)
    const stageId = newId('stg')
    const place = { orgId: address.orgId, projectId, stageId }
    const sealer = newKey ? new Sealer(place, [newKey.key]) : await this.#keyring.sealerOf(place)
    return { projectId, newKey, stageId, stage, sealer }
  }

  /** Throws INVALID_REQUEST for a stage too large. The check is exact: the commit moves the stage from exactly this revision. */
  #assertFits(stage: Stage | undefined, { growth, result: { created, deleted } }: WritePlan): void {
    const before = { variables: stage?.variables.size ?? 0, bytes: stage?.bytes ?? 0 }
    const after = {
      variables: before.variables + created.length - deleted.length,
      bytes: before.bytes + growth,
    }
    assertFits(before, after, this.#maxSize)
  }

  async #commit(
    address: StageRef,
    actor: Actor,
    action: Change['action'],
    { target, puts, growth, result }: WritePlan,
  ): Promise<CommitResult> {
    const { id: by, client } = actor
    const { deleted, revision } = result
    const at: WriteContext = { stageId: target.stageId, revision, by, client, nowMs: this.#clock.now() }
    const events = eventsOf(address, target, action, result)
    const moment = this.#stages.moment()
    let reservation: Reservation | undefined
    try {
      const committed = await this.#sql.tx(async (tx) => {
        if (!(await this.#claim(tx, address, target, at))) throw new RollbackError('moved')
        reservation = await this.#meter.reserve(tx, address.orgId, growth)
        if (!reservation) throw new RollbackError('over the limit')
        // Sent together: sequentially, each statement would cost a round trip to PostgreSQL.
        await Promise.all([
          ...deleted.map((name) => deleteVariable(tx, at, name)),
          ...puts.map(({ state, origin }) => putVariable(tx, at, state, origin)),
          ...events.map((event) => appendAudit(tx, actor, { ...event, nowMs: at.nowMs })),
        ])
        return { reservation }
      })
      this.#keep(address, target, { ...at, puts: puts.map(({ state }) => state), deletes: deleted }, moment)
      return committed
    } catch (error) {
      // A commit whose answer was lost may have succeeded.
      if (!(error instanceof RollbackError && error.why === 'over the limit')) this.#stages.forget(address)
      if (reservation) this.#meter.release(reservation)
      if (error instanceof RollbackError) return error.why
      throw error
    }
  }

  /** Keeps a stage in memory in its new state, so that clients that evaluate it do not wait for a read. */
  #keep(address: StageRef, { stage }: Target, changes: Changes, moment: number): void {
    const changed = stage && withChanges(stage, changes)
    if (changed) this.#stages.replace(address, changed, moment)
    else this.#stages.forget(address)
  }

  /**
   * Claims the stage for this transaction: advances its revision, or creates it and its project if missing. Returns false if
   * another node was first or has retired the key. Throws INVALID_REQUEST.
   */
  async #claim(tx: Tx, address: StageRef, target: Target, at: WriteContext): Promise<boolean> {
    const { projectId, newKey, stageId, stage } = target
    if (!stage) {
      if (!(await lockCreatesOnWrite(tx, address.orgId))) throw new ApiError('INVALID_REQUEST', noCreation)
      if (newKey && !(await this.#placement.makeProject(tx, address, projectId, newKey, at))) return false
      const made = { id: stageId, slug: address.stageSlug, by: at.by, nowMs: at.nowMs }
      return (await this.#placement.makeStage(tx, projectId, made)) && this.#maySeal(tx, target)
    }
    // Sent together and executed in order: the key is checked once the stage is locked.
    const [isMoved, maySeal] = await Promise.all([
      advanceRevision(tx, stageId, stage.revision, at.nowMs),
      this.#maySeal(tx, target),
    ])
    if (!isMoved && (await isArchived(tx, stageId))) throw archived('stage or its project')
    return isMoved && maySeal
  }

  /** Returns false if another node has replaced the key of the project. */
  async #maySeal(tx: Tx, { projectId, sealer: { keyId } }: Target): Promise<boolean> {
    return keyId === undefined || this.#keyring.maySeal(tx, projectId, keyId)
  }
}

/** Returns the entries for the audit log: one for each project or stage created, and one for each action on variables. */
function eventsOf(
  { projectSlug, stageSlug }: StageRef,
  { newKey, stage }: Target,
  action: Change['action'],
  { created, updated, deleted, revision }: WriteResult,
): Omit<AuditEvent, 'nowMs'>[] {
  const place = { projectSlug, stageSlug, revision }
  const ofVariables =
    action === 'write'
      ? ([
          { action: 'variable.create', names: created },
          { action: 'variable.update', names: updated },
          { action: 'variable.delete', names: deleted },
        ] as const)
      : [{ action, names: [...created, ...updated, ...deleted].toSorted(compareCodePoints) }]
  return [
    ...(newKey ? [{ action: 'project.create', projectSlug } as const] : []),
    ...(stage ? [] : [{ action: 'stage.create', ...place } as const]),
    ...ofVariables.filter(({ names }) => names.length > 0).map((event) => ({ ...event, ...place })),
  ]
}

/** An error that rolls the transaction back. */
class RollbackError extends Error {
  readonly why: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.why = why
  }
}

function prepare(target: Target, { puts, deletes }: Effect, action: Change['action']): WritePlan {
  const before = target.stage?.variables ?? nothing
  const names = puts.map(({ name }) => name).toSorted(compareCodePoints)
  const prepared = puts.map(({ name, seal }) => {
    const origin: Origin = action === 'restore' ? 'restored' : before.has(name) ? 'updated' : 'created'
    const state = seal(target.sealer)
    // A restored payload may be sealed with a retired key.
    return { state: { ...state, sealed: resealed(target.sealer, state) ?? state.sealed }, origin }
  })
  const sizeBefore = [...deletes, ...names].reduce((sum, name) => sum + (before.get(name)?.size ?? 0), 0)
  const sizeAfter = prepared.reduce((sum, { state }) => sum + state.sealed.length, 0)
  return {
    target,
    puts: prepared,
    growth: sizeAfter - sizeBefore,
    result: {
      created: names.filter((name) => !before.has(name)),
      updated: names.filter((name) => before.has(name)),
      deleted: deletes.toSorted(compareCodePoints),
      revision: (target.stage?.revision ?? 0) + 1,
    },
  }
}
