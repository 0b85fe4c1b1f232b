/**
 * Deletes stages, projects and organizations. One transaction marks them as deleted, destroys the data keys of projects and ends
 * the credentials that were bound to them. From its commit on, no node answers from them. Their rows, which may be many, are deleted
 * afterwards in small transactions (`stages/empty-stage.ts`).
 */
import type { Organizations } from '../auth/organizations.ts'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { reasonOf, type Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { advanceAccess, deleteAccess, deleteGrantsAt, deleteGrantsOf } from '../storage/access.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import {
  deleteDataKeys,
  endHistory,
  markOrganizationDeleted,
  markProjectDeleted,
  markProjectsDeleted,
  markStageDeleted,
  markStagesDeleted,
  storedBytesOf,
  type DeletedStage,
} from '../storage/deletion.ts'
import { withdrawChangesOf } from '../storage/changes.ts'
import { deleteDeclarationsOf } from '../storage/declarations.ts'
import { denyCodesOfOrganization } from '../storage/device-codes.ts'
import { revokeEvent } from '../access/grants.ts'
import { trustEvent } from '../access/events.ts'
import { deletedOrganization } from '../base/api-error.ts'
import { endClientKeys } from '../storage/client-keys.ts'
import { deleteHooksOf } from '../storage/hooks.ts'
import { deleteMailsOf } from '../storage/mails.ts'
import { endServiceTokens, type EndedCredential, type TokenPlace } from '../storage/service-tokens.ts'
import { endSessionsOfOrganization } from '../storage/sessions.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { deleteTrustsAt, deleteTrustsOf, endTokensOfTrust } from '../storage/trusts.ts'
import { noProject, noStage, type Projects } from '../stages/projects.ts'
import type { ProjectRef } from '../stages/placement.ts'
import type { StageRef, Stages } from '../stages/stages.ts'

/** Deletes an organization with its members at the embedded provider. */
type RemovePeople = (idpOrgId: string) => Promise<void>

interface Parts {
  readonly sql: Sql
  readonly organizations: Pick<Organizations, 'forget'>
  readonly access: { forget(orgId: string): void }
  readonly projects: Pick<Projects, 'idOf'>
  readonly stages: Stages
  readonly sessions: Sessions
  readonly keyring: Keyring
  readonly meter: Meter
  /** Absent with an external provider. */
  readonly removePeople: RemovePeople | undefined
  readonly clock: Clock
  readonly log: Log
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
        await requireAccess(tx, orgId)
        const stage = await markStageDeleted(tx, projectId, stageSlug, nowMs)
        if (!stage) throw noStage(stageSlug)
        const grants = await deleteGrantsAt(tx, orgId, { projectSlug, stageSlug })
        await withdrawChangesOf(tx, stage.id, actor.id, nowMs)
        const reservation = await this.#free(tx, orgId, [stage])
        const tokens = await endServiceTokens(tx, { orgId, projectSlug, stageSlug }, nowMs)
        const keys = await endClientKeys(tx, { orgId, projectSlug, stageSlug }, nowMs)
        const trusts = await endTrusts(tx, { orgId, projectSlug, stageSlug }, nowMs)
        await record(tx, actor, nowMs, [
          ...grants.map(revokeEvent),
          ...tokens.map(tokenEvent),
          ...keys.map(keyEvent),
          ...trusts,
          stageEvent(projectSlug, stage),
        ])
        return reservation
      })
      this.#settle(freed)
    } finally {
      // A commit whose answer was lost may have succeeded.
      stages.forgetDeleted((each) => each.projectId === projectId)
      sessions.forgetScope({ orgId, projectSlug, stageSlug })
      this.#parts.access.forget(orgId)
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
        await requireAccess(tx, orgId)
        if (!(await markProjectDeleted(tx, orgId, projectSlug, nowMs))) throw noProject(projectSlug)
        const grants = await deleteGrantsAt(tx, orgId, { projectSlug })
        const deleted = await markStagesDeleted(tx, projectId, nowMs)
        for (const { id } of deleted) await withdrawChangesOf(tx, id, actor.id, nowMs)
        const reservation = await this.#free(tx, orgId, deleted)
        await deleteDataKeys(tx, projectId)
        await deleteDeclarationsOf(tx, projectId)
        const tokens = await endServiceTokens(tx, { orgId, projectSlug }, nowMs)
        const keys = await endClientKeys(tx, { orgId, projectSlug }, nowMs)
        const trusts = await endTrusts(tx, { orgId, projectSlug }, nowMs)
        await record(tx, actor, nowMs, [
          ...grants.map(revokeEvent),
          ...tokens.map(tokenEvent),
          ...keys.map(keyEvent),
          ...trusts,
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
      this.#parts.access.forget(orgId)
    }
  }

  /** Deletes an organization with all its projects and credentials. Throws ORG_SCOPE_INVALID if it was deleted first. */
  async organization(actor: Actor, idpOrgId: string): Promise<void> {
    const { sql, organizations, stages, sessions, keyring } = this.#parts
    const { orgId } = actor
    const nowMs = this.#parts.clock.now()
    const projectIds: string[] = []
    try {
      const freed = await sql.tx(async (tx) => {
        if (!(await markOrganizationDeleted(tx, orgId, nowMs))) throw deletedOrganization()
        await denyCodesOfOrganization(tx, orgId)
        await deleteAccess(tx, orgId)
        await deleteTrustsOf(tx, orgId)
        await deleteHooksOf(tx, orgId)
        await deleteMailsOf(tx, orgId)
        const events: AuditEvent[] = []
        const deleted: DeletedStage[] = []
        for (const { id, slug } of await markProjectsDeleted(tx, orgId, nowMs)) {
          projectIds.push(id)
          const ofProject = await markStagesDeleted(tx, id, nowMs)
          await deleteDataKeys(tx, id)
          await deleteDeclarationsOf(tx, id)
          deleted.push(...ofProject)
          events.push(...ofProject.map((stage) => stageEvent(slug, stage)))
          events.push({ action: 'project.delete', projectSlug: slug })
        }
        for (const { id } of deleted) await withdrawChangesOf(tx, id, actor.id, nowMs)
        const reservation = await this.#free(tx, orgId, deleted)
        await endSessionsOfOrganization(tx, orgId, nowMs)
        await record(tx, actor, nowMs, [...events, { action: 'organization.delete', facts: { idpOrgId } }])
        return reservation
      })
      this.#settle(freed)
    } finally {
      organizations.forget(idpOrgId)
      stages.forgetDeleted((each) => each.orgId === orgId)
      for (const id of projectIds) keyring.forget(id)
      sessions.forgetOrganization(orgId)
      this.#parts.access.forget(orgId)
    }
    await this.#removePeople(idpOrgId)
  }

  /** Removes the members. If that fails, housekeeping does it later, and the organization is unusable until then as well. */
  async #removePeople(idpOrgId: string): Promise<void> {
    const { removePeople, log } = this.#parts
    await removePeople?.(idpOrgId).catch((error: unknown) =>
      log.warn('members of a deleted organization could not be removed yet', { reason: reasonOf(error) }),
    )
  }

  /** Returns the storage of deleted stages to the organization, and ends their history. */
  async #free(tx: Tx, orgId: string, stages: readonly DeletedStage[]): Promise<Reservation | undefined> {
    // Sent together: sequentially, each statement would cost a round trip to PostgreSQL.
    const sizes = await Promise.all(stages.map(async ({ id, bytes }) => bytes ?? storedBytesOf(tx, id)))
    await Promise.all(stages.map((stage) => endHistory(tx, stage)))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return this.#parts.meter.reserve(tx, orgId, -bytes)
  }

  #settle(freed: Reservation | undefined): void {
    if (freed) this.#parts.meter.settle(freed)
  }
}

/** Locks the organization, and lets no node use the rules that it has in memory. Throws ORG_SCOPE_INVALID. */
async function requireAccess(tx: Tx, orgId: string): Promise<void> {
  if (!(await advanceAccess(tx, orgId))) throw deletedOrganization()
}

function tokenEvent({ id, name }: EndedCredential): AuditEvent {
  return { action: 'token.revoke', facts: { tokenId: id, name } }
}

function keyEvent({ id, name }: EndedCredential): AuditEvent {
  return { action: 'client-key.revoke', facts: { keyId: id, name } }
}

/** Deletes the trusts that are limited to a place, with their grants elsewhere, and ends their tokens. */
async function endTrusts(tx: Tx, place: TokenPlace, nowMs: number): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (const { id, name, role, project_slug: projectSlug, stage_slug: stageSlug } of await deleteTrustsAt(tx, place)) {
    await endTokensOfTrust(tx, id, nowMs)
    events.push(...(await deleteGrantsOf(tx, place.orgId, `trust:${id}`)).map(revokeEvent))
    const scope = { projectSlug: projectSlug ?? undefined, stageSlug: stageSlug ?? undefined }
    events.push(trustEvent('trust.delete', { id, name, ...scope }, { name, role }, undefined))
  }
  return events
}

function stageEvent(projectSlug: string, { slug, revision }: DeletedStage): AuditEvent {
  return { action: 'stage.delete', projectSlug, stageSlug: slug, revision }
}

async function record(tx: Tx, actor: Actor, nowMs: number, events: readonly AuditEvent[]): Promise<void> {
  for (const event of events) await appendAudit(tx, actor, { ...event, nowMs })
}
