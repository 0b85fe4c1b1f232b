/**
 * A write: plan → reserve → commit → settle. Everything is decided and sealed from a stage in memory. One transaction then
 * moves the stage from exactly that revision to the next. If another node moved the stage first, nothing is stored and the
 * write starts over. Writes to one project on this node run one after the other, so that only another node can cause that.
 * Those that wait for the same stage share a transaction, each with its own revision (docs/decisions/0044-writes-in-groups.md).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { compareCodePoints, isMoreExposed, type Attributes, type Exposure } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError, StoreUnavailable } from '../base/api-error.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { KeyedMutex } from '../concurrency/keyed-mutex.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { moveChange, noteMove } from '../storage/changes.ts'
import { runningRamps } from '../storage/due-changes.ts'
import { lockCreatesOnWrite } from '../storage/organizations.ts'
import { isArchived } from '../storage/projects.ts'
import { sendIn, type AtOnceTx, type Sql, type Tx } from '../storage/sql.ts'
import { advanceRevision } from '../storage/stages.ts'
import {
  writeVariables,
  type Origin,
  type VariableChange,
  type VariableState,
  type WriteContext,
} from '../storage/variables.ts'
import type { Change, Effect } from './changes/change.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { archivedError, Placement, type PlannedProject } from '../stages/placement.ts'
import { assertFits, textBytesOf, type StageSize } from '../stages/stage-size.ts'
import { withChanges, type Stage, type StageRef, type Stages } from '../stages/stages.ts'
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

/** Variables that the write shows to more readers, with the exposure before and after. A new variable had none: `-`. */
interface Exposed {
  readonly names: readonly string[]
  readonly from: Exposure | '-'
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

/** An event for the audit log, at the time of the write. */
type WriteEvent = Omit<AuditEvent, 'nowMs'>

/** A write that waits for its turn. */
interface WaitingWrite {
  readonly actor: Actor
  readonly change: Change
  readonly arrivedAt: number
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: unknown) => void
}

/** A write that is decided and sealed. */
interface PlannedWrite {
  readonly write: WaitingWrite
  readonly plan: WritePlan
  readonly at: WriteContext
  /** The stage after the write; undefined if it has to be read again. */
  readonly after: Stage | undefined
}

/** The writes to a stage that wait, in the order of arrival. */
interface StageQueue {
  readonly writes: WaitingWrite[]
  /** How many of the first ones cannot be written together. */
  alone: number
}

/** At least one. */
type Group = readonly [PlannedWrite, ...PlannedWrite[]]

/** Maximum variables in a group of more than one write, which bounds how long the stage is locked. */
const maxGrouped = 100

const mayNotCreate =
  'The project or stage does not exist, and a setting of the organization prevents writes from creating it: create it first.'

const noVariables: ReadonlyMap<string, StoredVariable> = new Map()

interface WriterParts {
  readonly sql: Sql
  readonly stages: Stages
  readonly keyring: Keyring
  readonly meter: Meter
  readonly clock: Clock
  /** The maximum size of a stage. */
  readonly maxSize: StageSize
  /** The turns of groups, which rest beside light work. */
  readonly turns: FairQueue
}

export class VariableWriter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #placement: Placement
  readonly #meter: Meter
  readonly #clock: Clock
  readonly #maxSize: StageSize
  readonly #turns: FairQueue
  readonly #mutex = new KeyedMutex()
  /** Writes without an answer, by stage. */
  readonly #waiting = new Map<string, StageQueue>()

  constructor(parts: WriterParts) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#placement = new Placement(parts)
    this.#meter = parts.meter
    this.#clock = parts.clock
    this.#maxSize = parts.maxSize
    this.#turns = parts.turns
  }

  /** Writes a change of a request that arrived at the logical time `arrivedAt`, by default now. Throws ApiError. */
  write(stageRef: StageRef, actor: Actor, change: Change, arrivedAt = this.#stages.now): Promise<WriteResult> {
    const { promise, resolve, reject } = Promise.withResolvers<WriteResult>()
    const { orgId, projectSlug, stageSlug } = stageRef
    const stageKey = `${orgId}/${projectSlug}/${stageSlug}`
    const queue = this.#waiting.get(stageKey) ?? { writes: [], alone: 0 }
    this.#waiting.set(stageKey, queue)
    queue.writes.push({ actor, change, arrivedAt, resolve, reject })
    this.#takeTurn(stageRef, stageKey)
    return promise
  }

  /** Answers one group of what waits for the stage. There is a turn for each write, and one that finds nothing does nothing. */
  #takeTurn(stageRef: StageRef, stageKey: string): void {
    void this.#mutex.run(`${stageRef.orgId}/${stageRef.projectSlug}`, async () => {
      const queue = this.#waiting.get(stageKey)
      if (!queue?.writes[0]) return
      const endTurn = await this.#turns.begin(queue.writes[0].actor.id)
      // Includes all requests that the sockets deliver in this turn of the event loop.
      await nextTurn()
      const answered = await this.#attempt(stageRef, queue).finally(endTurn)
      queue.writes.splice(0, answered)
      queue.alone = Math.max(0, queue.alone - answered)
      if (queue.writes.length === 0) this.#waiting.delete(stageKey)
      else if (answered === 0) this.#takeTurn(stageRef, stageKey)
    })
  }

  /**
   * Answers the first writes, and returns how many: none if another node moved the stage or replaced the key first, or if they have to be
   * written apart.
   */
  async #attempt(stageRef: StageRef, queue: StageQueue): Promise<number> {
    const { answered, group } = await this.#planGroup(stageRef, queue.writes.slice(0, queue.alone > 0 ? 1 : undefined))
    if (!isGroup(group)) return answered
    try {
      const committed = await this.#commit(stageRef, group)
      if (committed === 'moved') return answered
      if (committed === 'over the limit') {
        throw new ApiError(
          'USAGE_LIMIT_EXCEEDED',
          'The write would exceed the storage limit of the plan, so nothing was stored: delete variables, or change the plan.',
        )
      }
      for (const { write, plan } of group) write.resolve(plan.result)
    } catch (error) {
      // Only one of them may be the reason.
      if (group.length > 1 && !(error instanceof StoreUnavailable)) {
        queue.alone = answered + group.length
        return answered
      }
      for (const { write } of group) write.reject(error)
    }
    return answered + group.length
  }

  /**
   * Plans the first writes, each for the stage as the one before leaves it. Answers those that change nothing or are refused while the
   * stage is as it is stored; others wait, because what comes before them may not be stored.
   */
  async #planGroup(
    stageRef: StageRef,
    writes: readonly WaitingWrite[],
  ): Promise<{ answered: number; group: readonly PlannedWrite[] }> {
    const group: PlannedWrite[] = []
    let answered = 0
    let names = 0
    try {
      let stage = await this.#stages.current(stageRef, Math.max(...writes.map(({ arrivedAt }) => arrivedAt)))
      for (const write of writes) {
        if (group.length > 0 && (!stage || write.change.within)) break
        const planned = await this.#plan(stageRef, stage, write).catch((error: unknown) => ({ error }))
        const isPlanned = planned !== undefined && 'plan' in planned
        if (!isPlanned && group.length > 0) break
        if (!isPlanned) {
          if (planned) write.reject(planned.error)
          else write.resolve({ created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 })
          answered++
          continue
        }
        names += planned.plan.puts.length + planned.plan.result.deleted.length
        if (group.length > 0 && names > maxGrouped) break
        group.push(planned)
        if (write.change.within) break
        stage = planned.after
      }
    } catch (error) {
      for (const { reject } of writes) reject(error)
      return { answered: writes.length, group: [] }
    }
    return { answered, group }
  }

  /** Plans a write. Returns undefined if it changes nothing. Throws ApiError. */
  async #plan(stageRef: StageRef, stage: Stage | undefined, write: WaitingWrite): Promise<PlannedWrite | undefined> {
    const { change, actor } = write
    const effect = await change.decide(stage)
    if (effect.puts.length === 0 && effect.deletes.length === 0) return undefined
    const plan = await planWrite(await this.#target(stageRef, stage), effect, change.action)
    this.#assertFits(stage, plan)
    const { stageId, revision } = plan.target
    const at = { stageId, revision, by: actor.id, client: actor.client, nowMs: this.#clock.now() }
    const puts = plan.puts.map(({ state }) => state)
    return { write, plan, at, after: stage && withChanges(stage, { ...at, puts, deletes: plan.result.deleted }) }
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

  /** Commits all writes of a group or none, and puts the new state of the stage into memory. */
  async #commit(stageRef: StageRef, group: Group): Promise<'committed' | RollbackError['reason']> {
    const start = this.#stages.beginChange()
    const reservations: Reservation[] = []
    try {
      await this.#store(stageRef, group, reservations)
      const after = group.at(-1)?.after
      // Clients that evaluate the stage do not wait for a read then.
      if (after) this.#stages.replace(stageRef, after, start)
      else this.#stages.forget(stageRef)
    } catch (error) {
      // A commit whose answer was lost may have succeeded.
      if (!(error instanceof RollbackError && error.reason === 'over the limit')) this.#stages.forget(stageRef)
      for (const reservation of reservations) this.#meter.release(reservation)
      if (!(error instanceof RollbackError)) throw error
      if (error.reason === 'moved') await this.#assertOpen(group[0].at)
      return error.reason
    }
    for (const reservation of reservations) this.#meter.settle(reservation)
    return 'committed'
  }

  /** Stores a group. Adds to `reservations` what it has reserved. Throws RollbackError. */
  async #store(stageRef: StageRef, group: Group, reservations: Reservation[]): Promise<void> {
    const [{ write, plan, at }] = group
    const { target } = plan
    const bytes = group.reduce((sum, { plan: { growth } }) => sum + growth, target.stage?.bytes ?? 0)
    const claim = (tx: AtOnceTx): Promise<unknown>[] => this.#claim(tx, target, { at, writes: group.length, bytes })
    const isDecided = target.stage && !write.change.within && group.every((each) => each.plan.rolls.length === 0)
    if (isDecided) {
      await this.#sql.atOnce((tx) => [...claim(tx), ...this.#changes(tx, stageRef, group, reservations)])
      return
    }
    await this.#sql.tx(async (tx) => {
      const further = (await write.change.within?.(tx, at)) ?? []
      if (target.stage) await sendIn(tx, claim)
      else await this.#create(tx, stageRef, target, { at, bytes })
      const paused = await Promise.all(
        group.map((each) => pauseRamps(tx, stageRef, each.at, each.plan, each.write.change.ramp)),
      )
      const events = paused.map((of, index) => (index === 0 ? [...further, ...of] : of))
      await sendIn(tx, (atOnce) => this.#changes(atOnce, stageRef, group, reservations, events))
    })
  }

  /**
   * Sends what claims the stage: advances its revision by the number of writes, to the bytes that they leave. Fails with RollbackError if another node was first or has
   * retired the key.
   */
  #claim(
    tx: AtOnceTx,
    { projectId, stageId, revision, sealer: { keyId } }: Target,
    { at: { nowMs }, writes, bytes }: { at: WriteContext; writes: number; bytes: number },
  ): Promise<unknown>[] {
    const moved = tx.requiring(() => new RollbackError('moved'))
    const isRetired = tx.requiring(() => {
      this.#keyring.forget(projectId)
      return new RollbackError('moved')
    })
    return [
      advanceRevision(moved, stageId, { from: revision - 1, by: writes, bytes, nowMs }),
      // The key is checked once the stage is locked.
      ...(keyId === undefined ? [] : [this.#keyring.maySeal(isRetired, projectId, keyId)]),
    ]
  }

  /** Creates the stage, and its project if missing. Throws INVALID_REQUEST, or RollbackError if another node was first or has retired the key. */
  async #create(
    tx: Tx,
    stageRef: StageRef,
    { projectId, newKey, stageId, sealer: { keyId } }: Target,
    { at, bytes }: { at: WriteContext; bytes: number },
  ): Promise<void> {
    if (!(await lockCreatesOnWrite(tx, stageRef.orgId))) throw new ApiError('INVALID_REQUEST', mayNotCreate)
    const { revision, by, nowMs } = at
    const newStage = { id: stageId, slug: stageRef.stageSlug, revision, bytes, by, nowMs }
    const isCreated =
      (!newKey || (await this.#placement.createProject(tx, stageRef, projectId, newKey, at))) &&
      (await this.#placement.createStage(tx, projectId, newStage)) &&
      (keyId === undefined || (await this.#keyring.maySeal(tx, projectId, keyId)))
    if (!isCreated) throw new RollbackError('moved')
  }

  /** Sends what a group stores in the stage that it has claimed. `further` has more events of each write for the audit log. */
  #changes(
    tx: AtOnceTx,
    stageRef: StageRef,
    group: Group,
    reservations: Reservation[],
    further: readonly (readonly WriteEvent[])[] = [],
  ): Promise<unknown>[] {
    return [
      ...group.map((each) => this.#reserve(tx, stageRef.orgId, each.plan, reservations)),
      writeVariables(tx, group.flatMap(variableChangesOf)),
      ...group.flatMap(({ write: { change, actor }, plan, at: { nowMs } }, index) =>
        [...eventsOf(stageRef, change, plan), ...(further[index] ?? [])].map((event) =>
          appendAudit(tx, actor, { ...event, nowMs }),
        ),
      ),
    ]
  }

  /** Reserves the growth of a write. Fails with RollbackError. */
  async #reserve(tx: AtOnceTx, orgId: string, { growth }: WritePlan, reservations: Reservation[]): Promise<void> {
    if (growth === 0) return
    const limited = tx.requiring(() => new RollbackError('over the limit'))
    const reservation = await this.#meter.reserve(limited, orgId, growth)
    if (reservation) reservations.push(reservation)
  }

  /** Throws INVALID_REQUEST if a stage is archived, or its project. */
  async #assertOpen({ stageId }: WriteContext): Promise<void> {
    if (await isArchived(this.#sql, stageId)) throw archivedError('stage or its project')
  }
}

function variableChangesOf({ at, plan: { puts, result } }: PlannedWrite): VariableChange[] {
  return [
    ...result.deleted.map((name) => ({ at, origin: 'deleted', name }) as const),
    ...puts.map(({ state, origin }) => ({ at, origin, state })),
  ]
}

/** Returns the entries for the audit log: one for each project or stage created, and one for each action on variables. */
function eventsOf(
  { projectSlug, stageSlug }: StageRef,
  { action, subject }: Change,
  { target: { newKey, stage }, exposed, chances, result: { created, updated, deleted, revision } }: WritePlan,
): WriteEvent[] {
  const at = { projectSlug, stageSlug, revision }
  const variableEvents =
    action === 'write'
      ? ([
          { action: 'variable.create', names: created },
          { action: 'variable.update', names: updated, ...(subject !== undefined && { subject }) },
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
): Promise<WriteEvent[]> {
  if (rolls.length === 0) return []
  const events: WriteEvent[] = []
  const problem = `Revision ${revision} changed the chance by hand: resume the ramp, or abort it.`
  for (const { id, name } of await runningRamps(tx, stageId)) {
    if (id === except || !rolls.includes(name)) continue
    if (!(await moveChange(tx, 'pause', { id, problem, nowMs }))) continue
    if (events.length === 0) await noteMove(tx, stageId)
    events.push({ action: 'change.pause', projectSlug, stageSlug, names: [name], revision, subject: id })
  }
  return events
}

function isGroup(writes: readonly PlannedWrite[]): writes is Group {
  return writes.length > 0
}

/** An error that rolls the transaction back. */
class RollbackError extends Error {
  readonly reason: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.reason = why
  }
}

/** Seals what a write puts, in slices. */
async function planWrite(target: Target, { puts, deletes }: Effect, action: Change['action']): Promise<WritePlan> {
  const before = target.stage?.variables ?? noVariables
  const names = puts.map(({ name }) => name).toSorted(compareCodePoints)
  const prepared: { readonly state: VariableState; readonly origin: Origin }[] = []
  const slices = new TimeSlices()
  for (const { name, seal } of puts) {
    if (slices.isOver) await slices.next()
    const origin: Origin = action === 'restore' ? 'restored' : before.has(name) ? 'updated' : 'created'
    const state = seal(target.sealer)
    // A restored payload may be sealed with a retired key.
    prepared.push({ state: { ...state, sealed: reseal(target.sealer, state) ?? state.sealed }, origin })
  }
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

/** Returns the variables that become visible to more readers, and the new ones that client programs see. */
function exposedBy(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
): readonly Exposed[] {
  const raised = [...attributes].flatMap(([name, { exposure: to = 'secret' }]) => {
    const stored = before.get(name)
    const from: Exposed['from'] = stored ? (stored.attributes.exposure ?? 'secret') : '-'
    const isRaised = from === '-' ? to === 'client' : isMoreExposed(to, from)
    return isRaised ? [{ name, from, to }] : []
  })
  const groups = Map.groupBy(raised, ({ from, to }) => `${from} ${to}`)
  return [...groups.values()].map((group) => ({
    ...(group[0] as (typeof group)[number]),
    names: group.map(({ name }) => name).toSorted(compareCodePoints),
  }))
}
