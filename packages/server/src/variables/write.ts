/**
 * A write: prepare → reserve → commit → settle. Everything is decided and sealed from a stage in memory. One transaction then
 * moves the stage from exactly that revision to the next. If another node moved the stage first, nothing is stored and the
 * write starts over. Writes to one project on this node run one after the other, so that only another node can cause that.
 */
import { compareCodePoints, isMoreExposed, type Attributes, type Exposure } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import { KeyedMutex } from '../concurrency/keyed-mutex.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { moveChange, noteMove } from '../storage/changes.ts'
import { runningRamps } from '../storage/due-changes.ts'
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
import { archivedError, Placement, type PlannedProject } from '../stages/placement.ts'
import { assertFits, textBytesOf, type StageSize } from '../stages/stage-size.ts'
import {
  withChanges,
  type ChangeStart,
  type WrittenChanges,
  type Stage,
  type StageRef,
  type Stages,
} from '../stages/stages.ts'
import { reseal } from './values.ts'

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
  /** The revision that the write makes. */
  readonly revision: number
  /** The stage; undefined if the write creates it. */
  readonly stage: Stage | undefined
  readonly sealer: Sealer
}

/** Variables that the write shows to more readers, with the exposure before and after. */
interface Exposed {
  readonly names: readonly string[]
  readonly from: Exposure
  readonly to: Exposure
}

interface WritePlan {
  readonly target: Target
  readonly puts: readonly { readonly state: VariableState; readonly origin: Origin }[]
  /** Billed bytes after minus before. */
  readonly growth: number
  /** Bytes of descriptions after minus before. */
  readonly textGrowth: number
  readonly exposed: readonly Exposed[]
  /** Chances before and after. */
  readonly chances: readonly number[]
  /** Names of existing rolls whose chance changes, or that end. */
  readonly rolls: readonly string[]
  readonly result: WriteResult
}

type CommitResult = { readonly reservation: Reservation } | 'moved' | 'over the limit'

const mayNotCreate =
  'The project or stage does not exist, and a setting of the organization prevents writes from creating it: create it first.'

const noVariables: ReadonlyMap<string, StoredVariable> = new Map()

export class VariableWriter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #placement: Placement
  readonly #meter: Meter
  readonly #clock: Clock
  readonly #maxSize: StageSize
  readonly #mutex = new KeyedMutex()

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
  write(stageRef: StageRef, actor: Actor, change: Change): Promise<WriteResult> {
    const projectKey = `${stageRef.orgId}/${stageRef.projectSlug}`
    return this.#mutex.run(projectKey, async () => {
      for (;;) {
        const result = await this.#attempt(stageRef, actor, change)
        if (result) return result
      }
    })
  }

  /** Returns undefined if another node moved the stage or replaced the key first. */
  async #attempt(stageRef: StageRef, actor: Actor, change: Change): Promise<WriteResult | undefined> {
    const stage = await this.#stages.current(stageRef)
    const effect = await change.decide(stage)
    if (effect.puts.length === 0 && effect.deletes.length === 0) {
      return { created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 }
    }
    const plan = planWrite(await this.#target(stageRef, stage), effect, change.action)
    this.#assertFits(stage, plan)
    const committed = await this.#commit(stageRef, actor, change, plan)
    if (committed === 'moved') return undefined
    if (committed === 'over the limit') {
      throw new ApiError(
        'USAGE_LIMIT_EXCEEDED',
        'The write would exceed the storage limit of the plan, so nothing was stored: delete variables, or change the plan.',
      )
    }
    this.#meter.settle(committed.reservation)
    return plan.result
  }

  async #target(stageRef: StageRef, stage: Stage | undefined): Promise<Target> {
    if (stage) {
      const { projectId, stageId, sealer, revision } = stage
      return { projectId, newKey: undefined, stageId, revision: revision + 1, stage, sealer }
    }
    const { projectId, newKey } = await this.#placement.planProject(stageRef)
    const { id: stageId, revision } = await this.#placement.planStage(projectId, stageRef.stageSlug)
    const context = { orgId: stageRef.orgId, projectId, stageId }
    const sealer = newKey ? new Sealer(context, [newKey.key]) : await this.#keyring.sealerOf(context)
    return { projectId, newKey, stageId, revision, stage, sealer }
  }

  /** Throws INVALID_REQUEST for a stage too large. The check is exact: the commit moves the stage from exactly this revision. */
  #assertFits(stage: Stage | undefined, { growth, textGrowth, result: { created, deleted } }: WritePlan): void {
    const before = { variables: stage?.variables.size ?? 0, bytes: (stage?.bytes ?? 0) + (stage?.textBytes ?? 0) }
    const after = {
      variables: before.variables + created.length - deleted.length,
      bytes: before.bytes + growth + textGrowth,
    }
    assertFits(before, after, this.#maxSize)
  }

  async #commit(stageRef: StageRef, actor: Actor, change: Change, plan: WritePlan): Promise<CommitResult> {
    const { id: by, client } = actor
    const { target, puts, growth } = plan
    const { deleted, revision } = plan.result
    const at: WriteContext = { stageId: target.stageId, revision, by, client, nowMs: this.#clock.now() }
    const events = eventsOf(stageRef, change, plan)
    const start = this.#stages.beginChange()
    let reservation: Reservation | undefined
    try {
      const committed = await this.#sql.tx(async (tx) => {
        const further = (await change.within?.(tx, at)) ?? []
        if (!(await this.#claim(tx, stageRef, target, at))) throw new RollbackError('moved')
        const paused = await pauseRamps(tx, stageRef, at, plan, change.ramp)
        reservation = await this.#meter.reserve(tx, stageRef.orgId, growth)
        if (!reservation) throw new RollbackError('over the limit')
        // Sent together: sequentially, each statement would cost a round trip to PostgreSQL.
        await Promise.all([
          ...deleted.map((name) => deleteVariable(tx, at, name)),
          ...puts.map(({ state, origin }) => putVariable(tx, at, state, origin)),
          ...[...events, ...further, ...paused].map((event) => appendAudit(tx, actor, { ...event, nowMs: at.nowMs })),
        ])
        return { reservation }
      })
      this.#updateMemory(stageRef, target, { ...at, puts: puts.map(({ state }) => state), deletes: deleted }, start)
      return committed
    } catch (error) {
      // A commit whose answer was lost may have succeeded.
      if (!(error instanceof RollbackError && error.reason === 'over the limit')) this.#stages.forget(stageRef)
      if (reservation) this.#meter.release(reservation)
      if (error instanceof RollbackError) return error.reason
      throw error
    }
  }

  /** Puts the new state of the stage into memory, so that clients that evaluate it do not wait for a read. */
  #updateMemory(stageRef: StageRef, { stage }: Target, changes: WrittenChanges, start: ChangeStart): void {
    const changed = stage && withChanges(stage, changes)
    if (changed) this.#stages.replace(stageRef, changed, start)
    else this.#stages.forget(stageRef)
  }

  /**
   * Claims the stage for this transaction: advances its revision, or creates it and its project if missing. Returns false if
   * another node was first or has retired the key. Throws INVALID_REQUEST.
   */
  async #claim(tx: Tx, stageRef: StageRef, target: Target, at: WriteContext): Promise<boolean> {
    const { projectId, newKey, stageId, stage } = target
    if (!stage) {
      if (!(await lockCreatesOnWrite(tx, stageRef.orgId))) throw new ApiError('INVALID_REQUEST', mayNotCreate)
      if (newKey && !(await this.#placement.createProject(tx, stageRef, projectId, newKey, at))) return false
      const newStage = { id: stageId, slug: stageRef.stageSlug, revision: at.revision, by: at.by, nowMs: at.nowMs }
      return (await this.#placement.createStage(tx, projectId, newStage)) && this.#maySeal(tx, target)
    }
    // Sent together and executed in order: the key is checked once the stage is locked.
    const [isMoved, maySeal] = await Promise.all([
      advanceRevision(tx, stageId, stage.revision, at.nowMs),
      this.#maySeal(tx, target),
    ])
    if (!isMoved && (await isArchived(tx, stageId))) throw archivedError('stage or its project')
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
  { action, subject }: Change,
  { target: { newKey, stage }, exposed, chances, result: { created, updated, deleted, revision } }: WritePlan,
): Omit<AuditEvent, 'nowMs'>[] {
  const at = { projectSlug, stageSlug, revision }
  const variableEvents =
    action === 'write'
      ? ([
          { action: 'variable.create', names: created },
          { action: 'variable.update', names: updated },
          { action: 'variable.delete', names: deleted },
        ] as const)
      : [
          {
            action,
            names: [...created, ...updated, ...deleted].toSorted(compareCodePoints),
            ...(action === 'chance' ? { subject: chances.join(' ') } : subject !== undefined && { subject }),
          },
        ]
  return [
    ...(newKey ? [{ action: 'project.create', projectSlug } as const] : []),
    ...(stage ? [] : [{ action: 'stage.create', ...at } as const]),
    ...variableEvents.filter(({ names }) => names.length > 0).map((event) => ({ ...event, ...at })),
    ...exposed.map(
      ({ names, from, to }) => ({ action: 'variable.expose', ...at, names, subject: `${from} ${to}` }) as const,
    ),
  ]
}

/** Pauses the ramps of rolls whose chance this changes by hand. The stage is locked, as everything that moves a change locks it first. */
async function pauseRamps(
  tx: Tx,
  { projectSlug, stageSlug }: StageRef,
  { stageId, revision, nowMs }: WriteContext,
  { rolls }: WritePlan,
  except: string | undefined,
): Promise<Omit<AuditEvent, 'nowMs'>[]> {
  if (rolls.length === 0) return []
  const events: Omit<AuditEvent, 'nowMs'>[] = []
  const problem = `Revision ${revision} changed the chance by hand: resume the ramp, or abort it.`
  for (const { id, name } of await runningRamps(tx, stageId)) {
    if (id === except || !rolls.includes(name)) continue
    if (!(await moveChange(tx, 'pause', { id, problem, nowMs }))) continue
    if (events.length === 0) await noteMove(tx, stageId)
    events.push({ action: 'change.pause', projectSlug, stageSlug, names: [name], revision, subject: id })
  }
  return events
}

/** An error that rolls the transaction back. */
class RollbackError extends Error {
  readonly reason: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.reason = why
  }
}

function planWrite(target: Target, { puts, deletes }: Effect, action: Change['action']): WritePlan {
  const before = target.stage?.variables ?? noVariables
  const names = puts.map(({ name }) => name).toSorted(compareCodePoints)
  const prepared = puts.map(({ name, seal }) => {
    const origin: Origin = action === 'restore' ? 'restored' : before.has(name) ? 'updated' : 'created'
    const state = seal(target.sealer)
    // A restored payload may be sealed with a retired key.
    return { state: { ...state, sealed: reseal(target.sealer, state) ?? state.sealed }, origin }
  })
  const sizeBefore = [...deletes, ...names].reduce((sum, name) => sum + (before.get(name)?.size ?? 0), 0)
  const sizeAfter = prepared.reduce((sum, { state }) => sum + state.sealed.length, 0)
  const attributes = new Map(
    prepared.map(({ state }) => [state.name, JSON.parse(state.attributes) as Attributes] as const),
  )
  const textBefore = [...deletes, ...names].reduce(
    (sum, name) => sum + textBytesOf(before.get(name)?.attributes ?? {}),
    0,
  )
  const textAfter = [...attributes.values()].reduce((sum, each) => sum + textBytesOf(each), 0)
  return {
    target,
    puts: prepared,
    growth: sizeAfter - sizeBefore,
    textGrowth: textAfter - textBefore,
    exposed: exposedBy(before, attributes),
    chances: chancesOf(before, attributes),
    rolls: rollsChanged(before, attributes, deletes),
    result: {
      created: names.filter((name) => !before.has(name)),
      updated: names.filter((name) => before.has(name)),
      deleted: deletes.toSorted(compareCodePoints),
      revision: target.revision,
    },
  }
}

/** Returns the chance of each variable before and after, without those that have none. */
function chancesOf(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
): readonly number[] {
  return [...attributes]
    .flatMap(([name, { chance }]) => [before.get(name)?.attributes.chance, chance])
    .filter((chance) => chance !== undefined)
}

function rollsChanged(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
  deletes: readonly string[],
): readonly string[] {
  const chanceOf = (name: string): number | undefined => before.get(name)?.attributes.chance
  return [...attributes.keys(), ...deletes].filter(
    (name) => chanceOf(name) !== undefined && chanceOf(name) !== attributes.get(name)?.chance,
  )
}

/** Returns the variables that become visible to more readers. A variable that is new was seen by no one. */
function exposedBy(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
): readonly Exposed[] {
  const raised = [...attributes].flatMap(([name, { exposure: to = 'secret' }]) => {
    const { exposure: from = 'secret' } = before.get(name)?.attributes ?? {}
    return isMoreExposed(to, from) ? [{ name, from, to }] : []
  })
  const groups = Map.groupBy(raised, ({ from, to }) => `${from} ${to}`)
  return [...groups.values()].map((group) => ({
    ...(group[0] as (typeof group)[number]),
    names: group.map(({ name }) => name).toSorted(compareCodePoints),
  }))
}
