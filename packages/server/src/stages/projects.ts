/** The projects of an organization and their stages. They are read from the store, so they are always current. */
import { compareCodePoints, type Protection, type Request, type Response } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError } from '../base/api-error.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { appendAudit, type AuditEvent } from '../storage/audit.ts'
import {
  lockProductionMark,
  lockProject,
  orderedStages,
  projectsOf,
  setStagePosition,
  updateProject,
  updateStage,
  type ProjectRow,
  type StageRow,
} from '../storage/projects.ts'
import { countNames, countVariables, nameRanges } from '../storage/missing.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { projectBySlug } from '../storage/stages.ts'
import { Placement, type CreationInfo } from './placement.ts'
import { RevisionCache } from './revision-cache.ts'
import type { Stages } from './stages.ts'

type Project = Response<'projects'>['projects'][number]
type ProjectChanges<Name extends 'projectCreate' | 'projectUpdate' | 'stageCreate' | 'stageUpdate' | 'stageOrder'> =
  Omit<Request<Name>, 'orgSlug'>

type CountedStage = StageRow & { readonly variables: number }

/** Maximum stages of an order that the audit log quotes. */
const maxAuditedStages = 100

/** Stages from which on their list is expensive. */
const manyStages = 200
/** Maximum counts of names in memory. */
const maxCounts = 10_000

/** Returns whether the caller may list the project or stage. */
export type IsVisible = (at: { readonly projectSlug: string; readonly stageSlug?: string }) => boolean

export class Projects {
  readonly #sql: Sql
  readonly #placement: Placement
  readonly #stages: Stages
  readonly #clock: Clock
  /** Numbers of variables by stage, and of different names by the stages that have them, because people see different stages of a project. */
  readonly #variables: RevisionCache<number>
  readonly #names: RevisionCache<number>

  constructor(parts: { sql: Sql; keyring: Keyring; stages: Stages; clock: Clock }) {
    this.#sql = parts.sql
    this.#placement = new Placement(parts)
    this.#stages = parts.stages
    this.#clock = parts.clock
    this.#variables = new RevisionCache(maxCounts, parts.stages.logicalClock)
    this.#names = new RevisionCache(maxCounts, parts.stages.logicalClock)
  }

  /**
   * Returns the projects, with or without stages, and the stages that are visible. Projects are sorted, stages in their order. Those of many
   * stages wait for `turn`.
   */
  async list(orgId: string, isVisible: IsVisible, turn = async (): Promise<void> => {}): Promise<Project[]> {
    const rows = await this.#visible(orgId, isVisible)
    if (rows.length > manyStages) await turn()
    const projects: Project[] = []
    const slices = new TimeSlices()
    for (const projectRows of Map.groupBy(rows, (row) => row.project_slug).values()) {
      const stages = await this.#counted(
        projectRows.filter((row) => row.stage_slug !== null),
        slices,
      )
      const variables = await this.#countNames(
        stages.filter((row) => row.archived_at_ms === null),
        slices,
      )
      projects.push({ ...projectOf(projectRows[0] as ProjectRow), variables, stages: stages.map(stageOf) })
      if (slices.isOver) await slices.next()
    }
    return projects.toSorted((a, b) => compareCodePoints(a.projectSlug, b.projectSlug))
  }

  /** Returns the slugs of the visible stages of each visible project, in wire order. */
  async slugs(orgId: string, isVisible: IsVisible): Promise<Map<string, string[]>> {
    const rows = await this.#visible(orgId, isVisible)
    const byProject = Map.groupBy(rows, (row) => row.project_slug)
    const slugs = [...byProject].map(([projectSlug, of]): [string, string[]] => [
      projectSlug,
      of.flatMap((row) => row.stage_slug ?? []).toSorted(compareCodePoints),
    ])
    return new Map(slugs.toSorted(([a], [b]) => compareCodePoints(a, b)))
  }

  async #visible(orgId: string, isVisible: IsVisible) {
    return (await projectsOf(this.#sql, orgId)).filter((row) =>
      isVisible({ projectSlug: row.project_slug, ...(row.stage_slug !== null && { stageSlug: row.stage_slug }) }),
    )
  }

  /** Returns the stages of one project with their numbers of variables. */
  async #counted(stages: readonly StageRow[], slices: TimeSlices): Promise<CountedStage[]> {
    const counted: CountedStage[] = []
    for (const row of stages) {
      const count = (): Promise<number> => countVariables(this.#sql, row.stage_id)
      counted.push({ ...row, variables: await this.#variables.result(row.stage_id, [row], count) })
      if (slices.isOver) await slices.next()
    }
    return counted
  }

  /** Returns how many different names the variables of some stages of one project have. */
  async #countNames(stages: readonly CountedStage[], slices: TimeSlices): Promise<number> {
    const filled = stages.filter(({ variables }) => variables > 0)
    if (filled.length < 2) return filled[0]?.variables ?? 0
    const ids = filled.map((row) => row.stage_id)
    return this.#names.result(ids.join(), filled, async () => {
      let names = 0
      for await (const range of nameRanges(this.#sql, ids)) {
        if (slices.isOver) await slices.next()
        names += await countNames(this.#sql, ids, range)
        if (slices.isOver) await slices.next()
      }
      return names
    })
  }

  /** Creates a project with its stages, all or nothing. Throws INVALID_REQUEST if the slug is taken. */
  async create(actor: Actor, { projectSlug, name, stages = [] }: ProjectChanges<'projectCreate'>): Promise<void> {
    const at = { orgId: actor.orgId, projectSlug }
    const { projectId, newKey } = await this.#placement.planProject(at)
    const info = this.#creationInfo(actor, name)
    const planned = await Promise.all(
      stages.map(async ({ stageSlug: slug, ...stage }) => ({
        slug,
        ...stage,
        ...(await this.#placement.planStage(projectId, slug)),
      })),
    )
    const events = [
      { action: 'project.create', projectSlug } as const,
      ...planned.map(({ slug, revision }) => stageCreated(projectSlug, slug, revision)),
    ]
    const createAll = async (tx: Tx): Promise<boolean> => {
      if (!newKey || !(await this.#placement.createProject(tx, at, projectId, newKey, info))) return false
      for (const { name: stageName, ...stage } of planned)
        await this.#placement.createStage(tx, projectId, { ...info, ...stage, name: stageName })
      return true
    }
    const isCreated = await this.#recorded(actor, events, createAll).finally(() => {
      for (const { stageSlug } of stages) this.#stages.forget({ ...at, stageSlug })
    })
    if (!isCreated)
      throw new ApiError('INVALID_REQUEST', `The project ${projectSlug} already exists: choose another slug.`)
  }

  /** Updates a project. Throws NOT_FOUND, and what `hold` throws, which keeps the rules by which it is allowed. */
  async update(
    actor: Actor,
    { projectSlug, ...changes }: ProjectChanges<'projectUpdate'>,
    hold: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<void> {
    const nowMs = this.#clock.now()
    const event = { action: 'project.update', projectSlug, facts: { after: placeState(changes) } } as const
    const isUpdated = await this.#recorded(actor, [event], async (tx) => {
      await hold(tx)
      return updateProject(tx, actor.orgId, projectSlug, { ...changes, nowMs })
    })
    if (!isUpdated) throw noProject(projectSlug)
  }

  /** Creates a stage. Throws NOT_FOUND for the project, and INVALID_REQUEST if it is archived or already has this slug. */
  async createStage(
    actor: Actor,
    { projectSlug, stageSlug, name, isProduction }: ProjectChanges<'stageCreate'>,
  ): Promise<void> {
    const projectId = await this.idOf(actor.orgId, projectSlug)
    const planned = await this.#placement.planStage(projectId, stageSlug)
    const stage = { ...planned, slug: stageSlug, isProduction, ...this.#creationInfo(actor, name) }
    const event = stageCreated(projectSlug, stageSlug, planned.revision)
    const isCreated = await this.#recorded(actor, [event], (tx) =>
      this.#placement.createStage(tx, projectId, stage),
    ).finally(() => this.#stages.forget({ orgId: actor.orgId, projectSlug, stageSlug }))
    if (!isCreated) {
      // The project may have been deleted.
      await this.idOf(actor.orgId, projectSlug)
      throw new ApiError(
        'INVALID_REQUEST',
        `The stage ${stageSlug} already exists in the project: choose another slug.`,
      )
    }
  }

  /** Updates a stage. Throws NOT_FOUND, and what `hold` throws, which keeps the rules by which it is allowed. */
  async updateStage(
    actor: Actor,
    { projectSlug, stageSlug, ...changes }: ProjectChanges<'stageUpdate'>,
    hold: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<void> {
    const projectId = await this.idOf(actor.orgId, projectSlug)
    const { isProduction } = changes
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      await hold(tx)
      const before = await lockProductionMark(tx, projectId, stageSlug)
      if (before === undefined) throw noStage(stageSlug)
      await updateStage(tx, projectId, stageSlug, { ...changes, nowMs })
      const facts = {
        ...(isProduction !== undefined && { before: { isProduction: before } }),
        after: { ...placeState(changes), isProduction },
      }
      await appendAudit(tx, actor, { action: 'stage.update', projectSlug, stageSlug, nowMs, facts })
    })
  }

  /**
   * Sets the order of all stages of a project. `assertAllowed` gets the present order. Throws what that throws, NOT_FOUND, and
   * INVALID_REQUEST unless each stage is named once.
   */
  async orderStages(
    actor: Actor,
    { projectSlug, stageSlugs }: ProjectChanges<'stageOrder'>,
    assertAllowed: (tx: Tx, before: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const projectId = await this.idOf(actor.orgId, projectSlug)
    await this.#sql.tx(async (tx) => {
      await lockProject(tx, projectId)
      const stages = await orderedStages(tx, projectId)
      const ids = new Map(stages.map(({ id, slug }) => [slug, id]))
      const ordered = stageSlugs.map((slug) => ids.get(slug)).filter((id) => id !== undefined)
      if (ordered.length !== stageSlugs.length || ordered.length !== stages.length) throw incompleteOrder(projectSlug)
      await assertAllowed(
        tx,
        stages.map(({ slug }) => slug),
      )
      await Promise.all(ordered.map((id, index) => setStagePosition(tx, id, index + 1)))
      const before = { stageSlugs: stages.map(({ slug }) => slug) }
      const facts = stages.length > maxAuditedStages ? {} : { before, after: { stageSlugs: [...stageSlugs] } }
      await appendAudit(tx, actor, { action: 'stage.order', projectSlug, nowMs: this.#clock.now(), facts })
    })
  }

  /** Does the work and, if it succeeds, records it in the audit log. */
  #recorded(actor: Actor, events: readonly AuditEvent[], work: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    return this.#sql.tx(async (tx) => {
      if (!(await work(tx))) return false
      for (const event of events) await appendAudit(tx, actor, { ...event, nowMs: this.#clock.now() })
      return true
    })
  }

  #creationInfo({ id }: Actor, name: string | undefined): CreationInfo {
    return { name, by: id, nowMs: this.#clock.now() }
  }

  /** Returns the id of the project. Throws NOT_FOUND. */
  async idOf(orgId: string, projectSlug: string): Promise<string> {
    const project = await projectBySlug(this.#sql, orgId, projectSlug)
    if (!project) throw noProject(projectSlug)
    return project.id
  }
}

export function noProject(projectSlug: string): ApiError {
  return new ApiError('NOT_FOUND', `The organization has no project ${projectSlug}: list its projects.`)
}

function stageCreated(projectSlug: string, stageSlug: string, revision: number) {
  return { action: 'stage.create', projectSlug, stageSlug, revision } as const
}

export function noStage(stageSlug: string): ApiError {
  return new ApiError('NOT_FOUND', `The project has no stage ${stageSlug}: list the projects to see its stages.`)
}

function incompleteOrder(projectSlug: string): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `stageSlugs must name each stage of the project ${projectSlug} once, also the archived ones: list the projects, then repeat the request.`,
  )
}

function projectOf(row: ProjectRow): Omit<Project, 'stages' | 'variables'> {
  return {
    projectSlug: row.project_slug,
    name: row.project_name,
    createdAtMs: row.project_created_at_ms,
    archivedAtMs: row.project_archived_at_ms ?? undefined,
  }
}

function stageOf(row: CountedStage): Project['stages'][number] {
  return {
    stageSlug: row.stage_slug,
    revision: row.revision,
    name: row.stage_name,
    createdAtMs: row.created_at_ms,
    archivedAtMs: row.archived_at_ms ?? undefined,
    isProduction: row.is_production === 1,
    ...(row.is_protected === 1 && { isProtected: true }),
    ...(row.protection !== null && { protection: JSON.parse(row.protection) as Protection }),
    variables: row.variables,
    updatedAtMs: row.updated_at_ms,
  }
}

interface PlaceChanges {
  readonly archived?: boolean | undefined
  readonly name?: string | undefined
}

/** Returns what changes of a project or stage that is archived, restored or renamed, for the audit log. */
function placeState({ archived, name }: PlaceChanges) {
  return { name, isArchived: archived }
}
