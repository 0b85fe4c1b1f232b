/** Ramps: changes that write one chance of a roll after the other. Each step is an ordinary write (docs/change.md). */
import { delayOf, dueStep, fitOf, type ChangeMove } from '@rollkey/contract'
import type { Access } from '../access/access.ts'
import type { Policy } from '../access/policy.ts'
import { assertNotFrozen, assertTakesDirectWrite } from '../access/protection.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { nameOf } from '../base/place-name.ts'
import type { StageRef, Stages } from '../stages/stages.ts'
import type { Actor } from '../storage/actor.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import { changeById, moveChange, noteMove, type ChangeRow } from '../storage/changes.ts'
import { moveRamp, type RampMove } from '../storage/due-changes.ts'
import { servedInHours } from '../storage/rolls.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import type { WriteContext } from '../storage/variables.ts'
import { endOfRotation, stepOfRotation } from '../variables/changes/rotation.ts'
import { changeOfChance } from '../variables/changes/updates.ts'
import type { Change } from '../variables/changes/change.ts'
import type { VariableWriter } from '../variables/write.ts'
import type { Applier } from './apply.ts'
import { placeOf } from './approvals.ts'
import { assertMovable, stateError } from './moves.ts'
import type { ChangeCaller, ChangeReader } from './reader.ts'
import { contentOf, rotationOf } from './content.ts'
import { progressOf, type Progress } from './progress.ts'
import type { ShownChange } from './view.ts'

const msPerHour = 60 * 60_000

interface Parts {
  readonly sql: Sql
  readonly access: Access
  readonly stages: Stages
  readonly reader: ChangeReader
  readonly applier: Applier
  readonly writer: VariableWriter
  readonly clock: Clock
  readonly log: Log
}

/** The end of a ramp at a chance. */
interface RampAbort {
  readonly chance: number
  /** Who ends it; undefined: its guard. */
  readonly by?: string
  readonly problem?: string
  /** Throws unless the chance may be set from the current one. A guard may, since its chance is approved with the ramp. */
  readonly assertAllowed?: (current: number) => void
}

export class Ramps {
  readonly #sql: Sql
  readonly #access: Access
  readonly #stages: Stages
  readonly #reader: ChangeReader
  readonly #applier: Applier
  readonly #writer: VariableWriter
  readonly #clock: Clock
  readonly #log: Log

  constructor(parts: Parts) {
    this.#sql = parts.sql
    this.#access = parts.access
    this.#stages = parts.stages
    this.#reader = parts.reader
    this.#applier = parts.applier
    this.#writer = parts.writer
    this.#clock = parts.clock
    this.#log = parts.log
  }

  /** Pauses a ramp. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async pause(by: ChangeCaller, stageRef: StageRef, id: string): Promise<ShownChange> {
    const row = await this.#reader.find(stageRef, id)
    const nowMs = this.#clock.now()
    await this.#record(by.actor, { action: 'change.pause', facts: { changeId: id } }, row, (tx) =>
      moveChange(tx, 'pause', { id, nowMs }),
    )
    return this.#reader.show(by, stageRef, id)
  }

  /** Resumes a paused ramp. Throws NOT_FOUND and CHANGE_CONFLICT. */
  async resume(by: ChangeCaller, stageRef: StageRef, id: string): Promise<ShownChange> {
    const row = await this.#reader.find(stageRef, id)
    const { zone, done } = progressOf(row)
    const { steps = [], notOn } = contentOf(row)
    const delayDays = delayOf(steps, { done, delayDays: row.delay_days, zone, notOn }, this.#clock.now())
    const dueAtMs = progressOf({ ...row, delay_days: delayDays }).steps[done]?.atMs ?? null
    const move = { ...this.#unmoved(row), delayDays, dueAtMs }
    await this.#record(by.actor, { action: 'change.resume', facts: { changeId: id } }, row, (tx) =>
      moveRamp(tx, 'resume', move),
    )
    return this.#reader.show(by, stageRef, id)
  }

  /** Leaves the next step out. Throws NOT_FOUND, FORBIDDEN and CHANGE_CONFLICT, also if another step is the next one by now. */
  async skip(
    by: ChangeCaller,
    stageRef: StageRef,
    { id, stepsDone }: { readonly id: string; readonly stepsDone?: number | undefined },
  ): Promise<ShownChange> {
    const row = await this.#reader.find(stageRef, id)
    assertMovable(row, 'skip', undefined)
    const place = placeOf(row)
    const isApproved = by.permissions.policy.protectionOf(place).approvals > 0
    // Its times and chances were approved, and this changes them.
    if (isApproved && !by.permissions.allows('approve', place))
      throw new ApiError(
        'FORBIDDEN',
        `To leave out a step you need "approve" on ${nameOf(place)}, which requires approvals: ask someone who has it.`,
      )
    const { steps, done } = progressOf(row)
    if (rotationOf(contentOf(row)) && done + 1 === steps.length)
      throw new ApiError(
        'INVALID_REQUEST',
        'The last step of a rotation cannot be left out: abort it at 0, for the old value, or at 1, for the new one.',
      )
    if (stepsDone !== undefined && stepsDone !== done)
      throw new ApiError('CHANGE_CONFLICT', `The ramp has done ${done} steps, not ${stepsDone}: show it again.`)
    const next = steps[done + 1]
    const move = { ...this.#unmoved(row), done: done + 1, dueAtMs: next?.atMs ?? null, by: by.actor.id }
    const facts = { changeId: id, step: done + 1, steps: steps.length }
    await this.#record(by.actor, { action: 'change.skip', facts }, row, (tx) =>
      moveRamp(tx, next ? 'skip' : 'finish', move),
    )
    return this.#reader.show(by, stageRef, id)
  }

  /** Ends a ramp at a chance. Throws NOT_FOUND, CHANGE_CONFLICT, STAGE_FROZEN, APPROVAL_REQUIRED and what a write throws. */
  async abort(
    { actor, permissions }: ChangeCaller,
    stageRef: StageRef,
    { id, chance }: { readonly id: string; readonly chance: number },
  ): Promise<{ readonly revision: number }> {
    const row = await this.#reader.find(stageRef, id)
    assertMovable(row, 'abort', undefined)
    const place = placeOf(row)
    if (rotationOf(contentOf(row))) {
      if (chance !== 0 && chance !== 1) throw halfRotated()
      const revision = await this.#revisionAfterRotation(row)
      if (revision !== undefined) {
        await this.#recordAbort(actor, row)
        return { revision }
      }
    }
    const assertAllowed = (current: number): void => {
      if (chance <= current && permissions.allows(permissions.policy.protectionOf(place).stopVerb, place)) return
      assertTakesDirectWrite(permissions, place, [{ chance }], this.#clock.now())
    }
    const { revision } = await this.#writer.write(
      stageRef,
      actor,
      this.#abortOf(row, permissions.policy, { chance, by: actor.id, assertAllowed }),
    )
    return { revision }
  }

  /** Returns the revision of the stage of a rotation whose roll is not there any more; undefined if it is. */
  async #revisionAfterRotation(row: ChangeRow): Promise<number | undefined> {
    const stage = await this.#stages.current({ orgId: row.org_id, ...placeOf(row) })
    return stage?.variables.get(progressOf(row).name)?.attributes.rotating ? undefined : (stage?.revision ?? 0)
  }

  /** Ends a ramp without a write. */
  async #recordAbort(actor: Actor, row: ChangeRow): Promise<void> {
    const { id } = row
    await this.#record(actor, { action: 'change.abort', facts: { changeId: id } }, row, (tx) =>
      moveChange(tx, 'abort', { id, by: actor.id, nowMs: this.#clock.now() }),
    )
  }

  /** Writes the latest due step of a ramp, unless it is paused for what it lacks, or its guard holds or aborts it. Throws ApiError, or what is temporary. */
  async writeDueStep(row: ChangeRow, actor: Actor, policy: Policy, idpOrgId: string): Promise<void> {
    const nowMs = this.#clock.now()
    const progress = progressOf(row)
    const index = dueStep(progress.steps, progress.done, nowMs)
    // The clock was set back since the ramp was leased.
    if (index === undefined) return
    const lack = row.state === 'open' ? undefined : await this.#applier.problemOfStep(row, policy, idpOrgId)
    if (lack !== undefined) return this.#hold(row, actor, lack)
    const problem = await this.#misfit(row, progress, nowMs)
    if (problem !== undefined && progress.guard?.onMisfit === 'hold') return this.#hold(row, actor, problem)
    const change =
      problem === undefined
        ? await this.#stepOf(row, policy, idpOrgId, index)
        : this.#abortOf(row, policy, { chance: progress.guard?.abortTo ?? 0, problem })
    await this.#writer.write({ orgId: row.org_id, ...placeOf(row) }, actor, change)
  }

  /** Returns the write of a step. The first one needs what applying a change needs. */
  async #stepOf(row: ChangeRow, policy: Policy, idpOrgId: string, index: number): Promise<Change> {
    const { name, steps } = progressOf(row)
    const chance = steps[index]?.chance ?? 0
    const done = index + 1
    const next = steps[done]
    const isFirst = row.state === 'open'
    const how: ChangeMove = isFirst ? (next ? 'start' : 'apply') : next ? 'step' : 'finish'
    const move = (tx: Tx, { revision }: WriteContext): Promise<boolean> =>
      moveRamp(tx, how, { ...this.#unmoved(row), done, dueAtMs: next?.atMs ?? null, revision })
    if (isFirst)
      return this.#applier.changeOf(row, policy, idpOrgId, { by: undefined, start: { isLast: !next, chance, move } })
    const within = async (tx: Tx, at: WriteContext): Promise<AuditEvent[]> => {
      await this.#access.hold(tx, policy)
      await noteMove(tx, row.stage_id)
      assertNotFrozen(placeOf(row), policy.protectionOf(placeOf(row)), at.nowMs)
      if (!(await move(tx, at))) throw stateError(await changeById(tx, row.id))
      const facts = { changeId: row.id, step: index + 1, steps: steps.length }
      return [{ action: 'change.step', ...placeOf(row), names: [name], revision: at.revision, facts }]
    }
    return { ...this.#changeOf(row, { chance, isLast: !next }), ramp: row.id, within }
  }

  /** Returns the write of a chance of a ramp, without the move of the ramp. */
  #changeOf(row: ChangeRow, { chance, isLast }: { readonly chance: number; readonly isLast: boolean }): Change {
    const { name } = progressOf(row)
    if (!rotationOf(contentOf(row))) return changeOfChance({ name, chance })
    return isLast ? endOfRotation(name, chance === 1 ? 'new' : 'old', this.#log) : stepOfRotation({ name, chance })
  }

  /** Returns the write that ends a ramp at a chance. */
  #abortOf(row: ChangeRow, policy: Policy, { chance, by, problem, assertAllowed }: RampAbort): Change {
    const { name } = progressOf(row)
    const { decide, ...change } = this.#changeOf(row, { chance, isLast: true })
    return {
      ...change,
      ramp: row.id,
      decide: (stage) => {
        assertAllowed?.(stage?.variables.get(name)?.attributes.chance ?? 0)
        return decide(stage)
      },
      within: async (tx, { revision, nowMs }) => {
        await this.#access.hold(tx, policy)
        await noteMove(tx, row.stage_id)
        if (!(await moveChange(tx, 'abort', { id: row.id, by, revision, problem, nowMs })))
          throw stateError(await changeById(tx, row.id))
        return [{ action: 'change.abort', ...placeOf(row), names: [name], revision, facts: { changeId: row.id } }]
      },
    }
  }

  /**
   * Returns why what was served since the last step does not fit, or undefined. Only whole hours since then count, because values are
   * counted by the hour.
   */
  async #misfit(row: ChangeRow, { name, guard }: Progress, nowMs: number): Promise<string | undefined> {
    if (!guard || row.state !== 'running') return undefined
    const stage = await this.#stages.current({ orgId: row.org_id, ...placeOf(row) })
    const chance = stage?.variables.get(name)?.attributes.chance
    // The last move: the step before, or a resumption after a change by hand.
    const fromMs = Math.ceil(row.updated_at_ms / msPerHour) * msPerHour
    const [served] = await servedInHours(this.#sql, 'chance', [{ stageId: row.stage_id, name, fromMs, toMs: nowMs }])
    const { verdict, tested, a, expected } = fitOf([{ a: served?.a ?? 0, b: served?.b ?? 0, chance }])
    if (verdict !== 'differs') return undefined
    return `Of ${tested} values that were chosen by the chance ${chance}, ${a} were A instead of about ${Math.round(expected)}: check how the application uses seeds, then resume or abort the ramp.`
  }

  async #hold(row: ChangeRow, actor: Actor, problem: string): Promise<void> {
    const { id } = row
    await this.#record(actor, { action: 'change.pause', facts: { changeId: id } }, row, (tx) =>
      moveChange(tx, 'pause', { id, problem, nowMs: this.#clock.now() }),
    )
  }

  #unmoved({ id, digest, steps_done: done, delay_days: delayDays }: ChangeRow): Omit<RampMove, 'dueAtMs'> {
    return { id, digest, from: done, done, delayDays, nowMs: this.#clock.now() }
  }

  /** Moves a ramp and records it. Throws CHANGE_CONFLICT if it cannot be moved. */
  async #record(actor: Actor, event: AuditEvent, row: ChangeRow, move: (tx: Tx) => Promise<boolean>): Promise<void> {
    await this.#sql.tx(async (tx) => {
      await noteMove(tx, row.stage_id)
      if (!(await move(tx))) throw stateError(await changeById(tx, row.id))
      await appendAudit(tx, actor, {
        ...event,
        ...placeOf(row),
        names: [progressOf(row).name],
        nowMs: this.#clock.now(),
      })
    })
  }
}

function halfRotated(): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    'A rotation ends at the chance 0, with the old value, or at 1, with the new one: state one of them.',
  )
}
