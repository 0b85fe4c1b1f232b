/** What an organization has: its projects and their stages, read from the store and so always current. */
import type { Response } from '@rollkey/contract'
import { projectsOf, type StageRow } from '../storage/projects.ts'
import type { Reader } from '../storage/sql.ts'
import { compareCodePoints } from './code-points.ts'

type Project = Response<'projects'>['projects'][number]

export class Projects {
  readonly #sql: Reader

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** Those stages that `includes` lets through, with their projects, in the order of the wire. */
  async list(orgId: string, includes: (at: { projectSlug: string; stageSlug: string }) => boolean): Promise<Project[]> {
    const rows = await projectsOf(this.#sql, orgId)
    const stages = rows
      .filter((row): row is StageRow => row.stage_slug !== null)
      .map((row) => ({ projectSlug: row.project_slug, stageSlug: row.stage_slug, revision: row.revision }))
      .filter(includes)
      .toSorted((a, b) => compareCodePoints(a.stageSlug, b.stageSlug))
    return [...Map.groupBy(stages, ({ projectSlug }) => projectSlug)]
      .map(([projectSlug, own]) => ({
        projectSlug,
        stages: own.map(({ stageSlug, revision }) => ({ stageSlug, revision })),
      }))
      .toSorted((a, b) => compareCodePoints(a.projectSlug, b.projectSlug))
  }
}
