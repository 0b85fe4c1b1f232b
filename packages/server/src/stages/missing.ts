/** The variables that stages marked as production lack. */
import { compareCodePoints, limits, type Response } from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { missingNames, type MissingRow } from '../storage/missing.ts'
import type { Reader } from '../storage/sql.ts'
import { stagesOf, type StagePlace } from '../storage/stages.ts'
import type { IsVisible } from './projects.ts'

type Missing = Response<'attention'>['missing'][number]

/** What a stage lacks, and the revisions of the stages that were compared. */
interface Comparison {
  readonly revisions: string
  readonly rows: readonly MissingRow[]
}

/** Maximum comparisons in memory, each of at most ten names. */
const maxComparisons = 2_000

export class MissingVariables {
  readonly #sql: Reader
  /**
   * The latest comparisons by the production stage, those used last at the end. Comparing 100 projects of three stages with 5,000
   * variables each takes 1 s on SQLite and 2.3 s on PostgreSQL, and a write changes only one of them.
   */
  readonly #comparisons = new Map<string, Comparison>()

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** Returns the visible production stages that lack a variable of another visible stage. */
  async list(orgId: string, isVisible: IsVisible): Promise<Missing[]> {
    const stages = (await stagesOf(this.#sql, orgId)).filter(
      (row) => row.is_archived === 0 && isVisible({ projectSlug: row.project_slug, stageSlug: row.stage_slug }),
    )
    const projects = [...Map.groupBy(stages, (row) => row.project_slug)].toSorted(([a], [b]) => compareCodePoints(a, b))
    const missing: Missing[] = []
    // One statement per stage: between two statements the embedded store serves other requests.
    const slices = new TimeSlices()
    for (const [projectSlug, inProject] of projects) {
      for (const stage of inProject.filter((row) => row.is_production === 1)) {
        const rows = await this.#compare(stage, inProject)
        const [first] = rows
        const names = rows.map(({ name }) => name).toSorted(compareCodePoints)
        if (first) missing.push({ projectSlug, stageSlug: stage.stage_slug, count: first.total, names })
        if (slices.isOver) await slices.next()
      }
    }
    return missing
  }

  /** Returns what the stage lacks of the others. The revisions were read before the names, so these are at least as new. */
  async #compare({ stage_id: id }: StagePlace, stages: readonly StagePlace[]): Promise<readonly MissingRow[]> {
    const others = stages.map((row) => row.stage_id).filter((other) => other !== id)
    if (others.length === 0) return []
    const revisions = stages.map((row) => `${row.stage_id} ${row.revision}`).join()
    const last = this.#comparisons.get(id)
    const rows =
      last?.revisions === revisions ? last.rows : await missingNames(this.#sql, id, others, limits.missingNames)
    this.#comparisons.delete(id)
    this.#comparisons.set(id, { revisions, rows })
    const [oldest] = this.#comparisons.keys()
    if (oldest !== undefined && this.#comparisons.size > maxComparisons) this.#comparisons.delete(oldest)
    return rows
  }
}
