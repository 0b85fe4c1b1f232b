/**
 * What a project expects of its variables (docs/declarations.md). A declaration changes no stored value: it is compared with what is
 * written from then on, and with a stage when someone asks.
 */
import {
  compareCodePoints,
  contradictionOf,
  isRequiredIn,
  limits,
  problemsOfStage,
  type Attributes,
  type Declaration,
  type DeclarationProblem,
  type DeclaredType,
  type ListedDeclaration,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { ReadSet } from '../consistency/read-set.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import { archivedError } from '../stages/placement.ts'
import { noProject } from '../stages/projects.ts'
import type { Actor } from '../storage/actor.ts'
import { appendAudit } from '../storage/audit.ts'
import {
  advanceDeclarations,
  areDeclarationsAt,
  declarationsOf,
  declaredProjects,
  deleteDeclarations,
  isProductionStage,
  putDeclarations,
  valueTimes,
  type DeclarationRow,
  type DeclaredProjectRow,
} from '../storage/declarations.ts'
import { maxPicked, readInPages } from '../storage/picked.ts'
import { lockOpenProject } from '../storage/projects.ts'
import type { Reader, Sql, Tx } from '../storage/sql.ts'
import { projectBySlug } from '../storage/stages.ts'
import { assertPossible, takeDocument } from './checked.ts'
import { compareTexts, declarationOf, declarationsOfRows, sizeOfTexts, textOf, type DeclarationTexts } from './texts.ts'

/** Names of declarations that a change touched, in wire order. */
export interface DeclarationChanges {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
}

/** A variable as a write leaves it. */
interface WrittenVariable {
  readonly name: string
  readonly declaredType: DeclaredType | undefined
  /** Opens the values; undefined if they do not open. Called only for a declared variable. */
  readonly open: () => readonly string[] | undefined
}

/** The part of a write that declarations are about. */
export interface DeclaredWrite {
  readonly projectId: string
  readonly stageId: string
  readonly stageSlug: string
  /** Variables whose values are written. */
  readonly written: readonly WrittenVariable[]
  readonly deletes: readonly string[]
}

/** A variable of a stage in memory. */
interface StoredAttributes {
  readonly name: string
  readonly declaredType: DeclaredType | undefined
  readonly attributes: Attributes
}

/** A declaration that says how often a variable gets another value. */
export type RotatingDeclaration = Declaration & { readonly rotateEveryDays: number }

/** The declarations of a project at one version. */
interface DeclaredNames {
  readonly version: number
  readonly byName: ReadonlyMap<string, Declaration>
  /** Those that say how often a variable gets another value. */
  readonly rotating: readonly RotatingDeclaration[]
  /** Those that stages require. */
  readonly required: readonly Declaration[]
  /** Characters of their JSON. */
  readonly size: number
}

/** How much larger declarations are in memory than as text. */
const sizeOfParsed = 4
const maxBytesInMemory = 64 * 1024 * 1024

export class Declarations {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #logicalClock: LogicalClock
  /** By the id of the project. A write shows at its commit that what it found here is current (`areCurrent`). */
  readonly #cache: CoherentCache<DeclaredNames>

  constructor({ sql, clock, logicalClock }: { sql: Sql; clock: Clock; logicalClock: LogicalClock }) {
    this.#sql = sql
    this.#clock = clock
    this.#logicalClock = logicalClock
    this.#cache = new CoherentCache({ max: maxBytesInMemory, sizeOf: memoryOf, logicalClock })
  }

  /** Returns the projects of an organization that are not archived and have had declarations. */
  projectsOf(orgId: string): Promise<DeclaredProjectRow[]> {
    return declaredProjects(this.#sql, orgId)
  }

  /** Returns the declarations of a project, by name. Throws NOT_FOUND. */
  async list(orgId: string, projectSlug: string): Promise<ListedDeclaration[]> {
    const stored = await declarationsOf(this.#sql, await this.#projectId(orgId, projectSlug))
    const listed: ListedDeclaration[] = []
    const slices = new TimeSlices()
    for (const row of (stored?.rows ?? []).toSorted((a, b) => compareCodePoints(a.name, b.name))) {
      const said = { updatedAtMs: row.updated_at_ms, updatedBy: row.updated_by }
      listed.push({ ...declarationOf(row), ...said } as ListedDeclaration)
      if (slices.isOver) await slices.next()
    }
    return listed
  }

  /** Declares variables, or replaces their declarations. Throws NOT_FOUND, and INVALID_REQUEST for too many and for those that cannot hold. */
  async set(actor: Actor, projectSlug: string, declarations: readonly Declaration[]): Promise<DeclarationChanges> {
    await assertPossible(declarations)
    const texts = declarations.map((each) => [each.name, textOf(each)] as const)
    return this.#change(actor, projectSlug, (stored) => new Map([...stored, ...texts]))
  }

  /** Deletes declarations. Throws NOT_FOUND. */
  delete(actor: Actor, projectSlug: string, names: readonly string[]): Promise<DeclarationChanges> {
    const deleted = new Set(names)
    return this.#change(actor, projectSlug, (stored) => new Map([...stored].filter(([name]) => !deleted.has(name))))
  }

  /** Replaces all declarations by those of a document. Throws NOT_FOUND, and INVALID_REQUEST for a document that says something else. */
  async replace(actor: Actor, projectSlug: string, document: unknown): Promise<DeclarationChanges> {
    const texts = new Map<string, string>()
    await takeDocument(document, (each) => texts.set(each.name, textOf(each)))
    return this.#change(actor, projectSlug, () => texts)
  }

  /**
   * Returns how a stage contradicts the declarations of its project or of a document, and how many there are. `valuesOf` opens what the
   * caller may read. Throws INVALID_REQUEST for a document that says something else.
   */
  async check<Variable extends StoredAttributes>(
    stage: { readonly projectId: string; readonly stageId: string; readonly variables: ReadonlyMap<string, Variable> },
    stageSlug: string,
    document: unknown,
    valuesOf: (variable: Variable) => readonly string[] | undefined,
  ): Promise<{ problems: DeclarationProblem[]; declared: number }> {
    const declarations: Declaration[] = []
    if (document !== undefined) await takeDocument(document, (each) => declarations.push(each))
    else
      declarations.push(...(await declarationsOfRows((await declarationsOf(this.#sql, stage.projectId))?.rows ?? [])))
    const at = { stageSlug, isProduction: await isProductionStage(this.#sql, stage.stageId) }
    const declared = new Map(declarations.map((each) => [each.name, each]))
    const rotating = declarations.filter(isRotating).map(({ name }) => name)
    const valueAtMs = new Map(await readInPages(rotating, (page) => valueTimes(this.#sql, stage.stageId, page)))
    const nowMs = this.#clock.now()
    const problems: DeclarationProblem[] = []
    const slices = new TimeSlices()
    // Name by name, because patterns and values take time.
    for (const name of new Set([...declared.keys(), ...stage.variables.keys()])) {
      const [declaration, variable] = [declared.get(name), stage.variables.get(name)]
      const known = variable && {
        name,
        declaredType: variable.declaredType,
        exposure: variable.attributes.exposure,
        valueAtMs: valueAtMs.get(name),
      }
      const valuesOfOne = (): readonly string[] | undefined => variable && valuesOf(variable)
      problems.push(...problemsOfStage(declaration ? [declaration] : [], at, known ? [known] : [], valuesOfOne, nowMs))
      if (slices.isOver) await slices.next()
    }
    problems.sort((a, b) => compareCodePoints(a.name, b.name))
    return { problems, declared: declarations.length }
  }

  /**
   * Throws INVALID_REQUEST if a write to a stage contradicts a declaration, or deletes what the stage requires. Returns the version of the
   * declarations, which the write must show to be current when it commits; undefined without a project.
   */
  async assertKept(write: DeclaredWrite): Promise<number | undefined> {
    const cached = await this.#declared(write.projectId)
    if (!cached || !(await this.#contradiction(write, cached))) return cached?.version
    // Another node may have changed the declaration.
    this.forget(write.projectId)
    return this.#assertKeptBy(write, await this.#declared(write.projectId))
  }

  /** Does the same by the declarations as they are stored, for what shows nothing when it commits. */
  async assertKeptNow(write: DeclaredWrite): Promise<number | undefined> {
    return this.#assertKeptBy(write, await this.#read(write.projectId))
  }

  async #assertKeptBy(write: DeclaredWrite, current: DeclaredNames | undefined): Promise<number | undefined> {
    const refusal = current && (await this.#contradiction(write, current))
    if (refusal) throw refusal
    return current?.version
  }

  /** Returns whether the declarations have still this version, in the transaction of a write. */
  async areCurrent(tx: Tx, projectId: string, version: number): Promise<boolean> {
    if (await areDeclarationsAt(tx, projectId, version)) return true
    this.forget(projectId)
    return false
  }

  /** Returns the declarations of a project, at this version or a later one, that say how often a variable gets another value. */
  async rotatingAt(projectId: string, version: number): Promise<readonly RotatingDeclaration[]> {
    return (await this.#declaredAt(projectId, version))?.rotating ?? []
  }

  /** Returns the declarations of a project, at this version or a later one, of variables that stages require. */
  async requiredAt(projectId: string, version: number): Promise<readonly Declaration[]> {
    return (await this.#declaredAt(projectId, version))?.required ?? []
  }

  async #declaredAt(projectId: string, version: number): Promise<DeclaredNames | undefined> {
    const cached = await this.#declared(projectId)
    if (cached && cached.version >= version) return cached
    this.forget(projectId)
    return this.#declared(projectId)
  }

  /** Drops the declarations of a project, so that they are read again. */
  forget(projectId: string): void {
    this.#cache.forget(projectId)
  }

  async #declared(projectId: string): Promise<DeclaredNames | undefined> {
    return this.#cache.get(projectId, () => this.#read(projectId), new ReadSet(this.#logicalClock.now))
  }

  async #read(projectId: string): Promise<DeclaredNames | undefined> {
    const stored = await declarationsOf(this.#sql, projectId)
    if (!stored) return undefined
    const { version, rows } = stored
    const byName = new Map((await declarationsOfRows(rows)).map((each) => [each.name, each]))
    const all = [...byName.values()]
    return {
      version,
      byName,
      rotating: all.filter(isRotating),
      required: all.filter(({ required }) => required !== undefined),
      size: rows.reduce((sum, { name, content }) => sum + name.length + content.length, 0),
    }
  }

  /** Returns the refusal of a write, or undefined. */
  async #contradiction(
    { stageId, stageSlug, written, deletes }: DeclaredWrite,
    { byName }: DeclaredNames,
  ): Promise<ApiError | undefined> {
    if (byName.size === 0) return undefined
    const slices = new TimeSlices()
    for (const variable of written) {
      const declaration = byName.get(variable.name)
      const error = declaration && contradictionError(declaration, variable)
      if (error) return error
      if (slices.isOver) await slices.next()
    }
    const deleted = deletes.flatMap((name) => byName.get(name) ?? []).filter(({ required }) => required)
    if (deleted.length === 0) return undefined
    const stage = { stageSlug, isProduction: await isProductionStage(this.#sql, stageId) }
    const kept = deleted.find((declaration) => isRequiredIn(declaration, stage))
    return kept && requiredError(kept, stageSlug)
  }

  /** Changes the declarations of a project, and records what changed. */
  async #change(
    actor: Actor,
    projectSlug: string,
    decide: (stored: DeclarationTexts) => DeclarationTexts,
  ): Promise<DeclarationChanges> {
    const projectId = await this.#projectId(actor.orgId, projectSlug)
    const nowMs = this.#clock.now()
    const work = async (tx: Tx): Promise<DeclarationChanges> => {
      if (!(await lockOpenProject(tx, projectId))) {
        // It is archived, or was deleted.
        await this.#projectId(actor.orgId, projectSlug, tx)
        throw archivedError('project')
      }
      const rowsBefore = (await declarationsOf(tx, projectId))?.rows ?? []
      const stored = new Map(rowsBefore.map(({ name, content }) => [name, content]))
      const after = decide(stored)
      await assertFew(after)
      const { changed: names, removed } = await compareTexts(stored, after)
      const rowOf = (name: string): Pick<DeclarationRow, 'name' | 'content'> => ({
        name,
        content: after.get(name) ?? '',
      })
      for (const page of pagesOf(names)) await putDeclarations(tx, projectId, page.map(rowOf), { nowMs, by: actor.id })
      for (const page of pagesOf(removed)) await deleteDeclarations(tx, projectId, page)
      if (names.length + removed.length > 0) await advanceDeclarations(tx, projectId)
      if (names.length > 0) await appendAudit(tx, actor, { action: 'declaration.set', projectSlug, names, nowMs })
      if (removed.length > 0)
        await appendAudit(tx, actor, { action: 'declaration.delete', projectSlug, names: removed, nowMs })
      return {
        created: names.filter((name) => !stored.has(name)),
        updated: names.filter((name) => stored.has(name)),
        deleted: removed,
      }
    }
    // A commit whose answer was lost may have succeeded.
    return this.#sql.tx(work).finally(() => this.forget(projectId))
  }

  async #projectId(orgId: string, projectSlug: string, sql: Reader = this.#sql): Promise<string> {
    const project = await projectBySlug(sql, orgId, projectSlug)
    if (!project) throw noProject(projectSlug)
    return project.id
  }
}

function isRotating(declaration: Declaration): declaration is RotatingDeclaration {
  return declaration.rotateEveryDays !== undefined
}

/** Returns the memory of the declarations of a project. */
function memoryOf({ size }: DeclaredNames): number {
  return sizeOfParsed * size + 100
}

/** Returns the items in pages, each of which a statement takes. */
function pagesOf<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / maxPicked) }, (_, page) =>
    items.slice(page * maxPicked, (page + 1) * maxPicked),
  )
}

/** Returns the refusal of a value, or undefined. It names the variable and what is declared, and never the value. */
function contradictionError(
  declaration: Declaration,
  { name, declaredType, open }: WrittenVariable,
): ApiError | undefined {
  const values = declaration.declaredType || declaration.constraint ? open() : undefined
  const contradiction = values && contradictionOf(declaration, { name, declaredType }, values)
  if (!contradiction) return undefined
  return new ApiError(
    'INVALID_REQUEST',
    `${JSON.stringify(name)} ${contradiction.expected}, as the project declares: correct the variable, or change its declaration first.`,
  )
}

function requiredError({ name }: Declaration, stageSlug: string): ApiError {
  return new ApiError(
    'INVALID_REQUEST',
    `${JSON.stringify(name)} is required in ${stageSlug}, as the project declares: keep it, or change its declaration first.`,
  )
}

/** Throws INVALID_REQUEST if a project would have too many declarations, or too large ones. */
async function assertFew(declarations: DeclarationTexts): Promise<void> {
  if (declarations.size > limits.declarations)
    throw new ApiError(
      'INVALID_REQUEST',
      `The project would have ${declarations.size} declarations (maximum ${limits.declarations}): delete some first.`,
    )
  const bytes = await sizeOfTexts(declarations)
  if (bytes > limits.declarationsBytes)
    throw new ApiError(
      'INVALID_REQUEST',
      `The declarations of the project would have ${bytes} bytes (maximum ${limits.declarationsBytes}): shorten or delete some.`,
    )
}
