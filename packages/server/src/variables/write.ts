/**
 * A write: plan → reserve → commit → settle. Everything is decided and sealed from a stage in memory. One transaction then
 * moves the stage from exactly that revision to the next. If another node moved the stage first, nothing is stored and the
 * write starts over. Writes to one project on this node run one after the other, so that only another node can cause that.
 * Those that wait for the same stage share a transaction, each with its own revision (docs/decisions/0044-writes-in-groups.md).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, StoreUnavailable } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { KeyedMutex } from '../concurrency/keyed-mutex.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { Meter } from '../metering/meter.ts'
import type { Actor } from '../storage/actor.ts'
import type { Sql } from '../storage/sql.ts'
import { Placement } from '../stages/placement.ts'
import type { StageSize } from '../stages/stage-size.ts'
import type { StageRef, Stages } from '../stages/stages.ts'
import type { Change } from './changes/change.ts'
import { WriteCommitter, type Group, type OnRolls } from './commit-write.ts'
import { WritePlanner, type PlannedWrite, type RequestedWrite, type WriteResult } from './plan-write.ts'

/** A write that waits for its turn. */
interface WaitingWrite extends RequestedWrite {
  readonly arrivedAt: number
  readonly resolve: (result: WriteResult) => void
  readonly reject: (error: unknown) => void
}

/** The writes to a stage that wait, in the order of arrival. */
interface StageQueue {
  readonly writes: WaitingWrite[]
  /** How many of the first ones cannot be written together. */
  alone: number
}

/** Maximum variables in a group of more than one write, which bounds how long the stage is locked. */
const maxGrouped = 100

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
  readonly onRolls: OnRolls
  readonly declarations: Declarations
}

export class VariableWriter {
  readonly #stages: Stages
  readonly #planner: WritePlanner
  readonly #committer: WriteCommitter
  readonly #turns: FairQueue
  readonly #mutex = new KeyedMutex()
  /** Writes without an answer, by stage. */
  readonly #waiting = new Map<string, StageQueue>()

  constructor(parts: WriterParts) {
    const placement = new Placement(parts)
    this.#stages = parts.stages
    this.#planner = new WritePlanner({ ...parts, placement })
    this.#committer = new WriteCommitter({ ...parts, placement })
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
      const committed = await this.#committer.commit(stageRef, group)
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
  ): Promise<{ answered: number; group: readonly PlannedWrite<WaitingWrite>[] }> {
    const group: PlannedWrite<WaitingWrite>[] = []
    let answered = 0
    let names = 0
    try {
      let stage = await this.#stages.current(stageRef, Math.max(...writes.map(({ arrivedAt }) => arrivedAt)))
      for (const write of writes) {
        if (group.length > 0 && (!stage || write.change.within)) break
        const room = group.length > 0 ? maxGrouped - names : Infinity
        const planned = await this.#planner.plan(stageRef, stage, write, room).catch((error: unknown) => ({ error }))
        if (planned === 'too many') break
        const isPlanned = planned !== undefined && 'plan' in planned
        if (!isPlanned && group.length > 0) break
        if (!isPlanned) {
          if (planned) write.reject(planned.error)
          else write.resolve({ created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 })
          answered++
          continue
        }
        names += planned.plan.puts.length + planned.plan.result.deleted.length
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
}

function isGroup<Write extends RequestedWrite>(writes: readonly PlannedWrite<Write>[]): writes is Group<Write> {
  return writes.length > 0
}
