/** Commits planned writes: one transaction moves the stage from exactly its revision, and stores all of them or none. */
import { compareCodePoints } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { lockCreatesOnWrite } from '../storage/organizations.ts'
import { isArchived } from '../storage/projects.ts'
import { sendIn, type AtOnceTx, type Sql, type Tx } from '../storage/sql.ts'
import { advanceRevision } from '../storage/stages.ts'
import { writeVariables, type VariableChange, type WriteContext } from '../storage/variables.ts'
import { archivedError, type Placement } from '../stages/placement.ts'
import type { StageRef, Stages } from '../stages/stages.ts'
import type { Change } from './changes/change.ts'
import type { PlannedWrite, RequestedWrite, Target, WritePlan } from './plan-write.ts'

/** Writes that share a transaction. At least one. */
export type Group<Write extends RequestedWrite = RequestedWrite> = readonly [
  PlannedWrite<Write>,
  ...PlannedWrite<Write>[],
]

/**
 * Work in the transaction of a write that changes the chance of rolls, or ends them. `step` is the id of the ramp whose step it is.
 * Returns further events for the audit log.
 */
export type OnRolls = (
  tx: Tx,
  stageRef: StageRef,
  at: WriteContext,
  rolls: { readonly names: readonly string[]; readonly step: string | undefined },
) => Promise<readonly AuditEvent[]>

const mayNotCreate =
  'The project or stage does not exist, and a setting of the organization prevents writes from creating it: create it first.'

interface CommitterParts {
  readonly sql: Sql
  readonly stages: Stages
  readonly keyring: Keyring
  readonly placement: Placement
  readonly meter: Meter
  readonly onRolls: OnRolls
  readonly declarations: Declarations
}

export class WriteCommitter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #placement: Placement
  readonly #meter: Meter
  readonly #onRolls: OnRolls
  readonly #declarations: Declarations

  constructor(parts: CommitterParts) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#placement = parts.placement
    this.#meter = parts.meter
    this.#onRolls = parts.onRolls
    this.#declarations = parts.declarations
  }

  /** Commits all writes of a group or none, and puts the new state of the stage into memory. */
  async commit(stageRef: StageRef, group: Group): Promise<'committed' | RollbackError['reason']> {
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
    const claim = (tx: AtOnceTx): Promise<unknown>[] => this.#claim(tx, plan, { at, writes: group.length, bytes })
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
        group.map(async ({ at: each, plan: { rolls }, write: { change } }) =>
          rolls.length === 0 ? [] : this.#onRolls(tx, stageRef, each, { names: rolls, step: change.ramp }),
        ),
      )
      const events = paused.map((of, index) => (index === 0 ? [...further, ...of] : of))
      await sendIn(tx, (atOnce) => this.#changes(atOnce, stageRef, group, reservations, events))
    })
  }

  /**
   * Sends what claims the stage: advances its revision by the number of writes, to the bytes that they leave. Fails with RollbackError if
   * another node was first, has retired the key or has changed the declarations.
   */
  #claim(
    tx: AtOnceTx,
    { target: { projectId, stageId, revision, sealer }, declared }: WritePlan,
    { at: { nowMs }, writes, bytes }: { at: WriteContext; writes: number; bytes: number },
  ): Promise<unknown>[] {
    const moved = tx.requiring(() => new RollbackError('moved'))
    const isRetired = tx.requiring(() => {
      this.#keyring.forget(projectId)
      return new RollbackError('moved')
    })
    const isUndeclared = tx.requiring(() => {
      this.#declarations.forget(projectId)
      return new RollbackError('moved')
    })
    return [
      advanceRevision(moved, stageId, { from: revision - 1, by: writes, bytes, nowMs }),
      // The key is checked once the stage is locked.
      ...(sealer.keyId === undefined ? [] : [this.#keyring.maySeal(isRetired, projectId, sealer.keyId)]),
      // Each write of a group was compared with these declarations or later ones.
      ...(declared === undefined ? [] : [this.#declarations.areCurrent(isUndeclared, projectId, declared)]),
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
    further: readonly (readonly AuditEvent[])[] = [],
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

/** An error that rolls the transaction back. */
class RollbackError extends Error {
  readonly reason: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.reason = why
  }
}

function variableChangesOf({ at, plan: { puts, result } }: PlannedWrite): VariableChange[] {
  return [
    ...result.deleted.map((name) => ({ at, origin: 'deleted', name }) as const),
    ...puts.map((put) => ({ at, ...put })),
  ]
}

/** Returns the entries for the audit log: one for each project or stage created, and one for each action on variables. */
function eventsOf({ projectSlug, stageSlug }: StageRef, change: Change, plan: WritePlan): AuditEvent[] {
  const { newKey, stage, revision } = plan.target
  const at = { projectSlug, stageSlug, revision }
  return [
    ...(newKey ? [{ action: 'project.create', projectSlug } as const] : []),
    ...(stage ? [] : [{ action: 'stage.create', ...at } as const]),
    ...variableEvents(change, plan).map((event) => ({ ...event, ...at })),
    ...plan.exposed.map(({ names, from, to }) => {
      const facts = { ...(from !== undefined && { before: { exposure: from } }), after: { exposure: to } }
      return { action: 'variable.expose', ...at, names, facts } as const
    }),
  ]
}

function variableEvents(change: Change, { chances, dependents, result }: WritePlan): AuditEvent[] {
  const { action, parts } = change
  const { created, updated, deleted } = result
  if (parts) return [...partEvents(parts), ...chanceEvents(rollsIn(parts), chances)]
  if (action === 'write') {
    const events = [
      { action: 'variable.create', names: created },
      { action: 'variable.update', names: updated },
      { action: 'variable.delete', names: deleted },
    ] as const
    return events.filter(({ names }) => names.length > 0)
  }
  const names = [...created, ...updated, ...deleted].filter((name) => !dependents.has(name)).toSorted(compareCodePoints)
  if (action === 'chance') return chanceEvents(names, chances)
  const replaced = { action: 'variable.update', names: [...dependents].toSorted(compareCodePoints) } as const
  return [
    change.action === 'restore' ? { action: 'restore', names, facts: change.facts } : { action: 'copy', names },
    ...(dependents.size > 0 ? [replaced] : []),
  ]
}

type Parts = NonNullable<Change['parts']>

/** Returns the names of the rolls whose chance changes. */
function rollsIn(parts: Parts): string[] {
  return [...parts].flatMap(([name, changed]) => (changed.includes('chance') ? [name] : []))
}

/** Returns an event for each pair of chances, with the rolls that went from one to the other. */
function chanceEvents(names: readonly string[], chances: WritePlan['chances']): AuditEvent[] {
  return grouped(names, (name) => {
    const { before, after } = chances.get(name) ?? {}
    return {
      action: 'chance',
      facts: { ...(before !== undefined && { before: { chance: before } }), after: { chance: after } },
    }
  })
}

/** Returns an event for each set of parts, with the variables of which exactly these changed. */
function partEvents(parts: Parts): AuditEvent[] {
  const others = (name: string): string[] => (parts.get(name) ?? []).filter((part) => part !== 'chance')
  return grouped(
    [...parts.keys()].filter((name) => others(name).length > 0),
    (name) => ({ action: 'variable.update', facts: { parts: others(name) } }),
  )
}

/** Returns each event once, with the names of the variables that it is about. */
function grouped(names: readonly string[], eventOf: (name: string) => AuditEvent): AuditEvent[] {
  const groups = Map.groupBy(names, (name) => JSON.stringify(eventOf(name)))
  return [...groups.values()].map((each) => ({ ...eventOf(each[0] ?? ''), names: each.toSorted(compareCodePoints) }))
}
