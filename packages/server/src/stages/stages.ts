/** Stages in memory: sealed rows with their revision, always current and never in plaintext (docs/decisions/0004). */
import { compareCodePoints } from '@rollkey/contract'
import { ReadSet } from '../consistency/read-set.ts'
import { retryUntilFresh, type LogicalClock, type ReadValidator } from '../consistency/read-validator.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { ApiError } from '../base/api-error.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { Sealer, type SealContext } from '../crypto/seal.ts'
import type { Reader } from '../storage/sql.ts'
import { stageBySlugs, type StageRows } from '../storage/stages.ts'
import type { VariableState, WriteContext } from '../storage/variables.ts'
import { textBytesOf } from './stage-size.ts'
import { storedVariables, type StoredVariable } from './stored-variable.ts'
import { keyIdOfPacked } from './payloads.ts'

/** The stage that a request names. The organization's id comes from the token. */
export interface StageRef {
  readonly orgId: string
  readonly projectSlug: string
  readonly stageSlug: string
}

/** Names of the sources of templates, by the name of the template. */
export type Templates = ReadonlyMap<string, readonly string[]>

/** A stage at one revision. */
export interface Stage extends SealContext {
  readonly revision: number
  readonly sealer: Sealer
  /** Bytes of all sealed payloads. */
  readonly bytes: number
  /** Bytes of all descriptions, labels and targeting rules. */
  readonly textBytes: number
  /** Entries of the indexes of pins: one for each pin, and one for each roll that has an index. */
  readonly pinEntries: number
  /** Variables by name, in wire order. */
  readonly variables: ReadonlyMap<string, StoredVariable>
  /** The sources of each template by its name, in wire order, so that a write need not look for them among all variables. */
  readonly templates: Templates
}

/** Variables from which on the answer about each is expensive. */
const manyVariables = 1_000

/** Returns whether an answer about each variable of the stage takes turns with other expensive ones. */
export function isLargeStage({ variables }: Pick<Stage, 'variables'>): boolean {
  return variables.size > manyVariables
}

const maxBytesInMemory = 256 * 1024 * 1024
/** Bytes of the objects around a row, with its digests and after a write of this variable alone, measured (docs/decisions/0045). */
const bytesAroundRow = 750
/** Bytes of an entry in an index of pins: 77 to 97, measured. */
const bytesOfPinEntry = 100
/** How much larger rules are in memory than as text: up to 3.2 times, measured. */
const sizeOfParsed = 4

function keyOf({ orgId, projectSlug, stageSlug }: StageRef): string {
  return `${orgId}/${projectSlug}/${stageSlug}`
}

/** When a change began. */
export interface ChangeStart {
  /** Logical time before its commit. */
  readonly asOf: number
  /** Deletions by this process until then. */
  readonly deletions: number
}

export class Stages {
  readonly #sql: Reader
  readonly #keyring: Keyring
  readonly #validator: ReadValidator
  readonly #cache: CoherentCache<Stage>
  /** Deletions by this process. */
  #deletions = 0

  constructor(parts: { sql: Reader; keyring: Keyring; validator: ReadValidator }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#validator = parts.validator
    const { logicalClock } = parts.validator
    this.#cache = new CoherentCache({ max: maxBytesInMemory, sizeOf: memoryOf, kind: 'stage', logicalClock })
  }

  /**
   * Returns the stage, which is current if the read set is valid. A stage that does not exist is empty and at revision 0.
   * Returns a promise only if the stage is not in memory.
   */
  find(stageRef: StageRef, reads: ReadSet): Stage | Promise<Stage> {
    const stage = this.#get(stageRef, reads)
    return stage instanceof Promise ? stage.then((found) => found ?? emptyStage(stageRef)) : stage
  }

  /** Adds the stage to the read set if it is in memory. Once that is validated, `current` answers the same request from memory. */
  expect(stageRef: StageRef, reads: ReadSet): void {
    this.#cache.peek(keyOf(stageRef), reads)
  }

  get logicalClock(): LogicalClock {
    return this.#validator.logicalClock
  }

  /** The logical time. */
  get now(): number {
    return this.logicalClock.now
  }

  /**
   * Returns the stage as it was at the logical time `arrivedAt` or later, for a change that depends on it; undefined if it does not exist.
   * The default is now.
   */
  current(stageRef: StageRef, arrivedAt = this.now): Promise<Stage | undefined> {
    return retryUntilFresh(this.#validator, (reads) => this.#get(stageRef, reads), new ReadSet(arrivedAt))
  }

  #get(stageRef: StageRef, reads: ReadSet): Stage | Promise<Stage | undefined> {
    return this.#cache.get(keyOf(stageRef), () => this.#read(stageRef), reads)
  }

  /** Drops the stage, so that it is read again. Call it before answering a change that may have been committed. */
  forget(stageRef: StageRef): void {
    this.#cache.forget(keyOf(stageRef))
  }

  /** Drops all stages that match, because they were deleted. Call it before answering the deletion. */
  forgetDeleted(matches: (stage: Stage) => boolean): void {
    this.#deletions++
    this.#cache.forgetWhere(matches)
  }

  /** Returns the start of a change, for `replace`. */
  beginChange(): ChangeStart {
    return { asOf: this.logicalClock.next(), deletions: this.#deletions }
  }

  /** Replaces the stage in memory by its state after a change. Call it between the commit and the answer of the change. */
  replace(stageRef: StageRef, stage: Stage, { asOf, deletions }: ChangeStart): void {
    // A deletion may have committed after the change and forgotten the stage already.
    if (deletions !== this.#deletions) this.forget(stageRef)
    else this.#cache.replace(keyOf(stageRef), stage, asOf)
  }

  async #read({ orgId, projectSlug, stageSlug }: StageRef): Promise<Stage | undefined> {
    const rows = await stageBySlugs(this.#sql, orgId, projectSlug, stageSlug)
    return rows && this.#stageOf(orgId, rows)
  }

  async #stageOf(orgId: string, { projectId, stageId, revision, variables }: StageRows): Promise<Stage> {
    const keyIds = variables.map(({ sealed }) => keyIdOfPacked(sealed))
    const sealer = await this.#keyring.sealerOf({ orgId, projectId, stageId }, keyIds)
    const stored = storedVariables(variables).toSorted((a, b) => compareCodePoints(a.name, b.name))
    return {
      orgId,
      projectId,
      stageId,
      revision,
      sealer,
      ...bytesOf(stored),
      variables: new Map(stored.map((variable) => [variable.name, variable])),
      templates: templatesOf(stored),
    }
  }
}

function emptyStage({ orgId }: StageRef): Stage {
  const context = { orgId, projectId: '', stageId: '' }
  return {
    ...context,
    revision: 0,
    sealer: new Sealer(context, []),
    bytes: 0,
    textBytes: 0,
    pinEntries: 0,
    variables: new Map(),
    templates: noTemplates,
  }
}

/** The changes that were written to a stage. */
export interface WrittenChanges extends Pick<WriteContext, 'revision' | 'nowMs' | 'by'> {
  readonly puts: readonly VariableState[]
  readonly deletes: readonly string[]
}

/** Returns the stage with the changes, as a read from the store would. Returns undefined if another key sealed a put. */
export function withChanges(stage: Stage, { puts, deletes, revision, nowMs, by }: WrittenChanges): Stage | undefined {
  if (puts.some(({ sealed }) => keyIdOfPacked(sealed) !== stage.sealer.keyId)) return undefined
  const variables = new Map(stage.variables)
  const touched = new Set([...deletes, ...puts.map(({ name }) => name)])
  const before = bytesOf(named(variables, touched))
  for (const name of deletes) variables.delete(name)
  const hasNew = puts.some(({ name }) => !variables.has(name))
  const rows = puts.map(({ declaredType, attributes, ...put }) => {
    const createdAtMs = stage.variables.get(put.name)?.createdAtMs ?? nowMs
    const written = { created_at_ms: createdAtMs, updated_at_ms: nowMs, updated_by: by }
    return { ...put, declared_type: declaredType, facets: attributes, ...written }
  })
  for (const variable of storedVariables(rows)) variables.set(variable.name, variable)
  const after = bytesOf(named(variables, touched))
  return {
    ...stage,
    revision,
    bytes: stage.bytes - before.bytes + after.bytes,
    textBytes: stage.textBytes - before.textBytes + after.textBytes,
    pinEntries: stage.pinEntries - before.pinEntries + after.pinEntries,
    variables: hasNew ? new Map([...variables].toSorted(([a], [b]) => compareCodePoints(a, b))) : variables,
    templates: templatesAfter(stage.templates, touched, variables),
  }
}

function named(variables: ReadonlyMap<string, StoredVariable>, names: ReadonlySet<string>): StoredVariable[] {
  return [...names].flatMap((name) => variables.get(name) ?? [])
}

export const noTemplates: Templates = new Map()

function templatesOf(variables: readonly StoredVariable[]): Templates {
  const templates = variables.flatMap(({ name, attributes: { sources } }) =>
    sources ? [[name, sources] as const] : [],
  )
  return templates.length === 0 ? noTemplates : new Map(templates)
}

/** Returns the templates of a stage after a change of the variables with the names `touched`. */
function templatesAfter(
  before: Templates,
  touched: ReadonlySet<string>,
  variables: ReadonlyMap<string, StoredVariable>,
): Templates {
  const written = templatesOf(named(variables, touched))
  const others = before.size === 0 ? [] : [...before].filter(([name]) => !touched.has(name))
  if (written.size === 0 && others.length === before.size) return before
  return new Map([...others, ...written].toSorted(([a], [b]) => compareCodePoints(a, b)))
}

/** Returns the sizes of some variables of a stage. */
function bytesOf(variables: readonly StoredVariable[]): Pick<Stage, 'bytes' | 'textBytes' | 'pinEntries'> {
  return {
    bytes: variables.reduce((sum, { size }) => sum + size, 0),
    textBytes: variables.reduce((sum, { attributes }) => sum + textBytesOf(attributes), 0),
    pinEntries: variables.reduce((sum, variable) => sum + pinEntriesOf(variable), 0),
  }
}

function pinEntriesOf({ pinBytes, attributes: { pinned } }: StoredVariable): number {
  return pinBytes > 0 ? 1 + (pinned?.a ?? 0) + (pinned?.b ?? 0) : 0
}

/** Throws VARIABLE_NOT_FOUND. */
export function throwNotFound(name: string): never {
  throw new ApiError('VARIABLE_NOT_FOUND', `The stage has no variable ${JSON.stringify(name)}.`)
}

/** Returns the memory of the stage: its rows, and as much again for the bundle that a pull adds. */
function memoryOf({ bytes, textBytes, pinEntries, variables }: Stage): number {
  return 2 * bytes + sizeOfParsed * textBytes + pinEntries * bytesOfPinEntry + variables.size * bytesAroundRow
}
