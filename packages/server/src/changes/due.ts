/** Applies a change whose time has come: at once, at the end of a freeze, or not at all, with the reason. */
import { errors, freezeEndMs } from '@rollkey/contract'
import type { Access } from '../access/access.ts'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import type { ReadSet } from '../consistency/read-set.ts'
import { retryUntilFresh, type ReadValidator } from '../consistency/read-validator.ts'
import { systemActorOf, type Actor } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import { noteMove, type ChangeRow } from '../storage/changes.ts'
import { holdChange, moveRamp } from '../storage/due-changes.ts'
import { idpOrgIdOf } from '../storage/organizations.ts'
import { lockStage } from '../storage/projects.ts'
import type { Sql } from '../storage/sql.ts'
import type { VariableWriter } from '../variables/write.ts'
import type { Applier } from './apply.ts'
import { placeOf } from './approvals.ts'
import { contentOf, namesOf } from './content.ts'
import type { Ramps } from './ramps.ts'

interface Parts {
  readonly sql: Sql
  readonly access: Access
  readonly validator: ReadValidator
  readonly applier: Applier
  readonly ramps: Ramps
  readonly writer: VariableWriter
  readonly clock: Clock
}

export class DueChanges {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Applies a due change, or the latest due step of a ramp. Throws if that must be tried again. */
  async apply(row: ChangeRow): Promise<void> {
    const actor = systemActorOf({ orgId: row.org_id, userId: row.proposed_by }, 'schedule')
    try {
      await retryUntilFresh(this.#parts.validator, (reads) => this.#attempt(row, actor, reads))
    } catch (error) {
      if (!(error instanceof ApiError) || isTemporary(error)) throw error
      await this.#fail(row, actor, error.message)
    }
  }

  async #attempt(row: ChangeRow, actor: Actor, reads: ReadSet): Promise<void> {
    const { sql, access, applier, ramps, writer, clock } = this.#parts
    const { org_id: orgId } = row
    const policy = await access.policyOf(orgId, reads)
    const place = placeOf(row)
    const frozenUntilMs = freezeEndMs(policy.protectionOf(place).freezes, clock.now())
    if (frozenUntilMs !== undefined) return sql.tx((tx) => holdChange(tx, row, frozenUntilMs))
    const idpOrgId = (await idpOrgIdOf(sql, orgId)) ?? ''
    if (contentOf(row).steps) return ramps.writeDueStep(row, actor, policy, idpOrgId)
    await writer.write({ orgId, ...place }, actor, await applier.changeOf(row, policy, idpOrgId, { by: undefined }))
  }

  /** Records why a change could not be applied. It has no effect on a change that another node has applied, or that was edited. */
  async #fail(row: ChangeRow, actor: Actor, problem: string): Promise<void> {
    const { id, digest, steps_done: done, delay_days: delayDays } = row
    const nowMs = this.#parts.clock.now()
    await this.#parts.sql.tx(async (tx) => {
      await lockStage(tx, row.stage_id)
      const move = { id, digest, from: done, done, delayDays, dueAtMs: null, problem, nowMs }
      if (!(await moveRamp(tx, 'fail', move))) return
      await noteMove(tx, row.stage_id)
      const names = namesOf(contentOf(row))
      await appendAudit(tx, actor, { action: 'change.fail', ...placeOf(row), names, facts: { changeId: id }, nowMs })
    })
  }
}

/** Returns whether the next try can succeed although nothing of the change is different. A freeze may have begun in between. */
function isTemporary({ code }: ApiError): boolean {
  return errors[code].status >= 500 || code === 'RATE_LIMITED' || code === 'STAGE_FROZEN'
}
