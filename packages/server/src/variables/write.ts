/**
 * A write: prepare → reserve → commit → settle (specification, "POST /v1/env/write"). Everything is decided and sealed
 * from a stage in memory; one transaction then moves the stage from exactly that revision to the next. If somebody else
 * moved it meanwhile, nothing is stored and the write starts over. Writes of one stage on this node take turns, so that
 * only another node can cause that.
 */
import type { Actor } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/random.ts'
import { Turns } from '../base/turns.ts'
import type { Keyring, MintedKey } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { advanceRevision, insertProject, insertStage, projectBySlug } from '../storage/stages.ts'
import { deleteVariable, putVariable, type VariableState, type Written } from '../storage/variables.ts'
import type { Change, Effect } from './changes/change.ts'
import { compareCodePoints } from './code-points.ts'
import type { StoredVariable } from './kinds/kind.ts'
import type { Stage, StageAddress, Stages } from './stages.ts'

/** Names in the order of the wire. */
export interface WriteResult {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly revision: number
}

/** Where the write goes: what is there, and what the write has to make first. */
interface Target {
  readonly projectId: string
  readonly newProjectKey: MintedKey | undefined
  readonly stageId: string
  /** Undefined: the stage is new. */
  readonly stage: Stage | undefined
  readonly sealer: Sealer
}

interface Prepared {
  readonly target: Target
  readonly states: VariableState[]
  /** Billed bytes after minus before. */
  readonly growth: number
  readonly result: WriteResult
}

type Committed = { readonly reservation: Reservation } | 'moved' | 'over the limit'

const nothing: ReadonlyMap<string, StoredVariable> = new Map()

export class VariableWriter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #meter: Meter
  readonly #clock: Clock
  readonly #turns = new Turns()

  constructor(parts: { sql: Sql; stages: Stages; keyring: Keyring; meter: Meter; clock: Clock }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#meter = parts.meter
    this.#clock = parts.clock
  }

  /** Throws Fault. */
  write(address: StageAddress, actor: Actor, change: Change): Promise<WriteResult> {
    const turn = `${address.orgId}/${address.projectSlug}`
    return this.#turns.take(turn, async () => {
      for (;;) {
        const result = await this.#attempt(address, actor, change)
        if (result) return result
      }
    })
  }

  /** Undefined if another node moved the stage meanwhile. */
  async #attempt(address: StageAddress, actor: Actor, change: Change): Promise<WriteResult | undefined> {
    const stage = await this.#stages.current(address)
    const effect = await change.decide(stage)
    if (effect.puts.length === 0 && effect.deletes.length === 0) {
      return { created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 }
    }
    const prepared = prepare(await this.#target(address, stage), effect)
    // Also if it throws: a commit whose answer was lost may have been done.
    const committed = await this.#commit(address, actor, prepared).finally(() => this.#stages.forget(address))
    if (committed === 'moved') return undefined
    if (committed === 'over the limit') {
      throw new Fault('USAGE_LIMIT_EXCEEDED', 'The write would pass the storage limit of the plan; nothing was stored.')
    }
    this.#meter.settle(committed.reservation)
    return prepared.result
  }

  async #target({ orgId, projectSlug }: StageAddress, stage: Stage | undefined): Promise<Target> {
    if (stage) {
      const { projectId, stageId, sealer } = stage
      return { projectId, newProjectKey: undefined, stageId, stage, sealer }
    }
    const project = await projectBySlug(this.#sql, orgId, projectSlug)
    const projectId = project?.id ?? newId('prj')
    const newProjectKey = project ? undefined : await this.#keyring.mintFor(projectId)
    const keys = newProjectKey ? ([newProjectKey.key] as const) : await this.#keyring.keysOf(projectId)
    const stageId = newId('stg')
    return { projectId, newProjectKey, stageId, stage, sealer: new Sealer({ orgId, projectId, stageId }, keys) }
  }

  async #commit(address: StageAddress, actor: Actor, prepared: Prepared): Promise<Committed> {
    const { target, states, growth, result } = prepared
    const at: Written = { stageId: target.stageId, revision: result.revision, by: actor.id, nowMs: this.#clock.now() }
    let reservation: Reservation | undefined
    try {
      return await this.#sql.tx(async (tx) => {
        if (!(await this.#claim(tx, address, target, at))) throw new Undone('moved')
        reservation = await this.#meter.reserve(tx, address.orgId, growth)
        if (!reservation) throw new Undone('over the limit')
        // Sent together: one after the other, each would be a round trip to PostgreSQL.
        await Promise.all([
          ...result.deleted.map((name) => deleteVariable(tx, at, name)),
          ...states.map((state) => putVariable(tx, at, state)),
        ])
        return { reservation }
      })
    } catch (error) {
      if (reservation) this.#meter.release(reservation)
      if (error instanceof Undone) return error.why
      throw error
    }
  }

  /** Makes the stage this transaction's: moves it on, or creates it with what is missing above it. */
  async #claim(tx: Tx, { orgId, projectSlug, stageSlug }: StageAddress, target: Target, at: Written): Promise<boolean> {
    if (target.stage) return advanceRevision(tx, target.stageId, target.stage.revision)
    const { by, nowMs } = at
    if (target.newProjectKey) {
      const { projectId, newProjectKey } = target
      if (!(await insertProject(tx, orgId, { id: projectId, slug: projectSlug, by, nowMs }))) return false
      await this.#keyring.keep(tx, projectId, newProjectKey, nowMs)
    }
    return insertStage(tx, target.projectId, { id: target.stageId, slug: stageSlug, by, nowMs })
  }
}

/** Rolls the transaction back. */
class Undone extends Error {
  readonly why: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.why = why
  }
}

function prepare(target: Target, { puts, deletes }: Effect): Prepared {
  const before = target.stage?.variables ?? nothing
  const states = puts.map(({ seal }) => seal(target.sealer))
  const names = states.map(({ name }) => name).toSorted(compareCodePoints)
  const sizeBefore = [...deletes, ...names].reduce((sum, name) => sum + (before.get(name)?.size ?? 0), 0)
  const sizeAfter = states.reduce((sum, state) => sum + state.sealed.length, 0)
  return {
    target,
    states,
    growth: sizeAfter - sizeBefore,
    result: {
      created: names.filter((name) => !before.has(name)),
      updated: names.filter((name) => before.has(name)),
      deleted: deletes.toSorted(compareCodePoints),
      revision: (target.stage?.revision ?? 0) + 1,
    },
  }
}
