/** Creates projects and stages, with the first write that names them or on request. */
import { ApiError } from '../base/api-error.ts'
import { newId } from '../base/random.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { MintedKey } from '../crypto/wrapped-keys.ts'
import { deletedProject, deletedStage } from '../storage/deletion.ts'
import { requireOrganization } from '../storage/organizations.ts'
import { isProjectArchived, lockOpenProject } from '../storage/projects.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { insertProject, insertStage, projectBySlug, reviveProject, reviveStage } from '../storage/stages.ts'
import { emptyStage } from './empty-stage.ts'

export interface ProjectRef {
  readonly orgId: string
  readonly projectSlug: string
}

/** A project that exists, or one that is about to be created with its key. */
export interface PlannedProject {
  readonly projectId: string
  readonly newKey: MintedKey | undefined
}

/** The creator, the time and the display name of something new. */
export interface CreationInfo {
  readonly name?: string | undefined
  readonly by: string
  readonly nowMs: number
}

/** A stage that is about to be created. One that was deleted is created again and continues its revisions. */
export interface PlannedStage {
  readonly id: string
  /** Its first revision. */
  readonly revision: number
}

export interface NewStage extends CreationInfo, PlannedStage {
  readonly slug: string
  /** Bytes of the sealed values that it is created with. @default 0 */
  readonly bytes?: number
  /** @default by its slug */
  readonly isProduction?: boolean | undefined
}

export class Placement {
  readonly #sql: Sql
  readonly #keyring: Keyring

  constructor(parts: { sql: Sql; keyring: Keyring }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
  }

  /** Returns the project, or plans a new one. This happens before the transaction, because a new key may need a KMS. */
  async planProject({ orgId, projectSlug }: ProjectRef): Promise<PlannedProject> {
    const project = await projectBySlug(this.#sql, orgId, projectSlug)
    if (project) return { projectId: project.id, newKey: undefined }
    const projectId = (await deletedProject(this.#sql, orgId, projectSlug))?.id ?? newId('prj')
    return { projectId, newKey: await this.#keyring.mintFor(projectId) }
  }

  /** Plans a stage that does not exist. */
  async planStage(projectId: string, slug: string): Promise<PlannedStage> {
    const deleted = await deletedStage(this.#sql, projectId, slug)
    if (!deleted) return { id: newId('stg'), revision: 1 }
    await emptyStage(this.#sql, deleted.id)
    return { id: deleted.id, revision: deleted.revision + 1 }
  }

  /** Creates the project. Returns false if its slug was taken in the meantime. Throws ORG_SCOPE_INVALID. */
  async createProject(
    tx: Tx,
    project: ProjectRef,
    id: string,
    newKey: MintedKey,
    info: CreationInfo,
  ): Promise<boolean> {
    await requireOrganization(tx, project.orgId)
    const row = { id, slug: project.projectSlug, ...info }
    if (!((await reviveProject(tx, row)) || (await insertProject(tx, project.orgId, row)))) return false
    await this.#keyring.store(tx, id, newKey, info.nowMs)
    return true
  }

  /**
   * Creates the stage. Returns false if its slug was taken first or the project was deleted. Throws INVALID_REQUEST if the project
   * is archived.
   */
  async createStage(tx: Tx, projectId: string, stage: NewStage): Promise<boolean> {
    if (!(await lockOpenProject(tx, projectId))) {
      if (await isProjectArchived(tx, projectId)) throw archivedError('project')
      return false
    }
    return (await reviveStage(tx, projectId, stage)) || insertStage(tx, projectId, stage)
  }
}

export function archivedError(what: 'project' | 'stage or its project'): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `The ${what} is archived and cannot be changed: restore it from the archive first.`,
  )
}
