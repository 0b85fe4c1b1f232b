/**
 * Deletes stages and projects. One transaction marks them as deleted, destroys the data keys of a project and ends the service
 * tokens that were bound to them. From its commit on, no node answers from them. Their rows, which may be many, are deleted
 * afterwards in small transactions (`stages/empty-stage.ts`).
 */
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import {
  deleteDataKeys,
  endHistory,
  markProjectDeleted,
  markStageDeleted,
  markStagesDeleted,
  storedBytesOf,
  type DeletedStage,
} from '../storage/deletion.ts'
import { endServiceTokens } from '../storage/service-tokens.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { noProject, noStage, type Projects } from '../stages/projects.ts'
import type { ProjectRef } from '../stages/placement.ts'
import type { StageRef, Stages } from '../stages/stages.ts'

interface Parts {
  readonly sql: Sql
  readonly projects: Pick<Projects, 'idOf'>
  readonly stages: Stages
  readonly sessions: Sessions
  readonly keyring: Keyring
  readonly meter: Meter
  readonly clock: Clock
}

export class Deletion {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Deletes a stage. Throws NOT_FOUND. */
  async stage(actor: Actor, { projectSlug, stageSlug }: Omit<StageRef, 'orgId'>): Promise<void> {
    const { sql, projects, stages, sessions } = this.#parts
    const { orgId } = actor
    const projectId = await projects.idOf(orgId, projectSlug)
    const nowMs = this.#parts.clock.now()
    try {
      const freed = await sql.tx(async (tx) => {
        const stage = await markStageDeleted(tx, projectId, stageSlug, nowMs)
        if (!stage) throw noStage(stageSlug)
        const reservation = await this.#free(tx, orgId, [stage])
        const tokens = await endServiceTokens(tx, { orgId, projectSlug, stageSlug }, nowMs)
        await record(tx, actor, nowMs, [...tokens.map(tokenEvent), stageEvent(projectSlug, stage)])
        return reservation
      })
      this.#settle(freed)
    } finally {
      // A commit whose answer was lost may have succeeded.
      stages.forgetDeleted((each) => each.projectId === projectId)
      sessions.forgetScope({ orgId, projectSlug, stageSlug })
    }
  }

  /** Deletes a project with its stages and data keys. Throws NOT_FOUND. */
  async project(actor: Actor, { projectSlug }: Omit<ProjectRef, 'orgId'>): Promise<void> {
    const { sql, projects, stages, sessions, keyring } = this.#parts
    const { orgId } = actor
    const projectId = await projects.idOf(orgId, projectSlug)
    const nowMs = this.#parts.clock.now()
    try {
      const freed = await sql.tx(async (tx) => {
        if (!(await markProjectDeleted(tx, orgId, projectSlug, nowMs))) throw noProject(projectSlug)
        const deleted = await markStagesDeleted(tx, projectId, nowMs)
        const reservation = await this.#free(tx, orgId, deleted)
        await deleteDataKeys(tx, projectId)
        const tokens = await endServiceTokens(tx, { orgId, projectSlug }, nowMs)
        await record(tx, actor, nowMs, [
          ...tokens.map(tokenEvent),
          ...deleted.map((stage) => stageEvent(projectSlug, stage)),
          { action: 'project.delete', projectSlug },
        ])
        return reservation
      })
      this.#settle(freed)
    } finally {
      stages.forgetDeleted((each) => each.projectId === projectId)
      keyring.forget(projectId)
      sessions.forgetScope({ orgId, projectSlug })
    }
  }

  /** Returns the storage of deleted stages to the organization, and ends their history. */
  async #free(tx: Tx, orgId: string, stages: readonly DeletedStage[]): Promise<Reservation | undefined> {
    // Sent together: sequentially, each statement would cost a round trip to PostgreSQL.
    const sizes = await Promise.all(stages.map(({ id }) => storedBytesOf(tx, id)))
    await Promise.all(stages.map((stage) => endHistory(tx, stage)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return this.#parts.meter.reserve(tx, orgId, -bytes)
  }

  #settle(freed: Reservation | undefined): void {
    if (freed) this.#parts.meter.settle(freed)
  }
}

type Event = Omit<AuditEvent, 'nowMs'>

function tokenEvent(id: string): Event {
  return { action: 'token.revoke', subject: id }
}

function stageEvent(projectSlug: string, { slug, revision }: DeletedStage): Event {
  return { action: 'stage.delete', projectSlug, stageSlug: slug, revision }
}

async function record(tx: Tx, actor: Actor, nowMs: number, events: readonly Event[]): Promise<void> {
  for (const event of events) await appendAudit(tx, actor, { ...event, nowMs })
}
