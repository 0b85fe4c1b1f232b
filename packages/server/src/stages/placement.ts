/** Creates projects and stages, with the first write that names them or on request. */
import { ApiError } from '../base/api-error.ts'
import { newId } from '../base/random.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { MintedKey } from '../crypto/wrapped-keys.ts'
import { lockOpenProject } from '../storage/projects.ts'
import type { Reader, Tx } from '../storage/sql.ts'
import { insertProject, insertStage, projectBySlug } from '../storage/stages.ts'

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

export interface NewStage extends CreationInfo {
  readonly id: string
  readonly slug: string
  /** @default by its slug */
  readonly isProduction?: boolean | undefined
}

export class Placement {
  readonly #sql: Reader
  readonly #keyring: Keyring

  constructor(parts: { sql: Reader; keyring: Keyring }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
  }

  /** Returns the project, or plans a new one. This happens before the transaction, because a new key may need a KMS. */
  async planProject({ orgId, projectSlug }: ProjectRef): Promise<PlannedProject> {
    const project = await projectBySlug(this.#sql, orgId, projectSlug)
    if (project) return { projectId: project.id, newKey: undefined }
    const projectId = newId('prj')
    return { projectId, newKey: await this.#keyring.mintFor(projectId) }
  }

  /** Creates the project. Returns false if its slug was taken in the meantime. */
  async createProject(
    tx: Tx,
    project: ProjectRef,
    id: string,
    newKey: MintedKey,
    info: CreationInfo,
  ): Promise<boolean> {
    if (!(await insertProject(tx, project.orgId, { id, slug: project.projectSlug, ...info }))) return false
    await this.#keyring.store(tx, id, newKey, info.nowMs)
    return true
  }

  /** Creates the stage. Returns false if its slug was taken first. Throws INVALID_REQUEST if the project is archived. */
  async createStage(tx: Tx, projectId: string, stage: NewStage): Promise<boolean> {
    if (!(await lockOpenProject(tx, projectId))) throw archivedError('project')
    return insertStage(tx, projectId, stage)
  }
}

export function archivedError(what: 'project' | 'stage or its project'): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `The ${what} is archived and cannot be changed: restore it from the archive first.`,
  )
}
