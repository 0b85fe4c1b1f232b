/** The variables that should have got another value by now, as their declarations say (docs/rotation.md). */
import { compareCodePoints, limits, rotationDueMs, type Response } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { agedValues, type DeclaredProjectRow } from '../storage/declarations.ts'
import { readInPages } from '../storage/picked.ts'
import type { Reader } from '../storage/sql.ts'
import type { Declarations } from './declarations.ts'

/** A variable of a stage that should have got another value. */
export interface OverdueVariable {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly name: string
  readonly valueAtMs: number
  readonly dueAtMs: number
  readonly owner: string | undefined
}

type OverdueStage = Response<'attention'>['overdue'][number]

export class OverdueVariables {
  readonly #sql: Reader
  readonly #clock: Clock
  readonly #declarations: Declarations

  constructor(parts: { sql: Reader; clock: Clock; declarations: Declarations }) {
    this.#sql = parts.sql
    this.#clock = parts.clock
    this.#declarations = parts.declarations
  }

  /** Returns the overdue variables of an organization, without archived stages, by project, stage and name. */
  async list(orgId: string): Promise<OverdueVariable[]> {
    return this.#overdueOf(await this.#declarations.projectsOf(orgId))
  }

  /** Returns how many variables of each visible stage are overdue, and the first of them. `declaring`: the projects that have declarations. */
  async byStage(
    declaring: readonly DeclaredProjectRow[],
    isVisible: (place: Omit<OverdueVariable, 'name'>) => boolean,
  ): Promise<OverdueStage[]> {
    const visible = (await this.#overdueOf(declaring)).filter(isVisible)
    const stages = Map.groupBy(visible, ({ projectSlug, stageSlug }) => `${projectSlug}/${stageSlug}`)
    return [...stages.values()].map((of) => {
      const { projectSlug = '', stageSlug = '' } = of[0] ?? {}
      const names = of.slice(0, limits.missingNames).map(({ name }) => name)
      return { projectSlug, stageSlug, count: of.length, names }
    })
  }

  async #overdueOf(declaring: readonly DeclaredProjectRow[]): Promise<OverdueVariable[]> {
    const overdue: OverdueVariable[] = []
    const nowMs = this.#clock.now()
    const slices = new TimeSlices()
    for (const { id, slug, declarations_version: version } of declaring) {
      const declared = new Map((await this.#declarations.rotatingAt(id, version)).map((each) => [each.name, each]))
      const due = [...declared.values()].map((each) => ({
        name: each.name,
        atMs: nowMs - (rotationDueMs(each, 0) ?? 0),
      }))
      const rows = await readInPages(due, (page) => agedValues(this.#sql, id, page))
      for (const { stage_slug: stageSlug, name, value_at_ms: valueAtMs } of rows) {
        const declaration = declared.get(name)
        const dueAtMs = declaration && rotationDueMs(declaration, valueAtMs)
        if (dueAtMs !== undefined)
          overdue.push({ projectSlug: slug, stageSlug, name, valueAtMs, dueAtMs, owner: declaration?.owner })
      }
      if (slices.isOver) await slices.next()
    }
    const keyOf = ({ projectSlug: project, stageSlug, name }: OverdueVariable): string =>
      `${project}/${stageSlug}/${name}`
    return overdue.toSorted((a, b) => compareCodePoints(keyOf(a), keyOf(b)))
  }
}
