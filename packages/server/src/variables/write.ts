/**
 * A write: prepare → reserve → commit → settle (specification, "POST /v1/env/write"). Everything is decided and sealed
 * from a stage in memory; one transaction then moves the stage from exactly that revision to the next. If somebody else
 * moved it meanwhile, nothing is stored and the write starts over. Writes of one stage on this node take turns, so that
 * only another node can cause that.
 */
import { isOfDeclaredType, type DeclaredType, type Request, type WriteEntry } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/random.ts'
import { Turns } from '../base/turns.ts'
import type { Keyring, MintedKey } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Meter, Reservation } from '../metering/meter.ts'
import type { Sql, Tx } from '../storage/sql.ts'
import { advanceRevision, insertProject, insertStage, projectBySlug } from '../storage/stages.ts'
import { deleteVariable, putVariable, type VariableState, type Written } from '../storage/variables.ts'
import { compareCodePoints } from './code-points.ts'
import { kinds } from './kinds/index.ts'
import type { StoredVariable } from './kinds/kind.ts'
import { pack } from './payloads.ts'
import type { Stage, StageAddress, Stages } from './stages.ts'

export type WriteRequest = Pick<Request<'write'>, 'mode' | 'entries' | 'deletes' | 'ifRevision'>

/** Names in the order of the wire. */
export interface WriteResult {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly revision: number
}

/** Where the write goes: what is there, and what the write has to make first. */
interface Target {
  readonly projectId: string
  readonly newProjectKey: MintedKey | undefined
  readonly stageId: string
  /** Undefined: the stage is new. */
  readonly stage: Stage | undefined
  readonly sealer: Sealer
}

interface Prepared {
  readonly target: Target
  readonly states: VariableState[]
  readonly deletes: string[]
  /** Billed bytes after minus before. */
  readonly growth: number
  readonly result: WriteResult
}

type Committed = { readonly reservation: Reservation } | 'moved' | 'over the limit'

const nothing: ReadonlyMap<string, StoredVariable> = new Map()

export class VariableWriter {
  readonly #sql: Sql
  readonly #stages: Stages
  readonly #keyring: Keyring
  readonly #meter: Meter
  readonly #clock: Clock
  readonly #turns = new Turns()

  constructor(parts: { sql: Sql; stages: Stages; keyring: Keyring; meter: Meter; clock: Clock }) {
    this.#sql = parts.sql
    this.#stages = parts.stages
    this.#keyring = parts.keyring
    this.#meter = parts.meter
    this.#clock = parts.clock
  }

  /** `by` is the user's id at the provider. Throws Fault. */
  write(address: StageAddress, by: string, request: WriteRequest): Promise<WriteResult> {
    const turn = `${address.orgId}/${address.projectSlug}`
    return this.#turns.take(turn, async () => {
      for (;;) {
        const result = await this.#attempt(address, by, request)
        if (result) return result
      }
    })
  }

  /** Undefined if another node moved the stage meanwhile. */
  async #attempt(address: StageAddress, by: string, request: WriteRequest): Promise<WriteResult | undefined> {
    const stage = await this.#stages.current(address)
    assertWritable(stage, request)
    const deletes = request.deletes.filter((name) => stage?.variables.has(name))
    if (request.entries.length === 0 && deletes.length === 0) {
      return { created: [], updated: [], deleted: [], revision: stage?.revision ?? 0 }
    }
    const prepared = prepare(await this.#target(address, stage), request.entries, deletes)
    // Also if it throws: a commit whose answer was lost may have been done.
    const committed = await this.#commit(address, by, prepared).finally(() => this.#stages.forget(address))
    if (committed === 'moved') return undefined
    if (committed === 'over the limit') {
      throw new Fault('USAGE_LIMIT_EXCEEDED', 'The write would pass the storage limit of the plan; nothing was stored.')
    }
    this.#meter.settle(committed.reservation)
    return prepared.result
  }

  async #target({ orgId, projectSlug }: StageAddress, stage: Stage | undefined): Promise<Target> {
    if (stage) {
      const { projectId, stageId, sealer } = stage
      return { projectId, newProjectKey: undefined, stageId, stage, sealer }
    }
    const project = await projectBySlug(this.#sql, orgId, projectSlug)
    const projectId = project?.id ?? newId('prj')
    const newProjectKey = project ? undefined : await this.#keyring.mintFor(projectId)
    const keys = newProjectKey ? ([newProjectKey.key] as const) : await this.#keyring.keysOf(projectId)
    const stageId = newId('stg')
    return { projectId, newProjectKey, stageId, stage, sealer: new Sealer({ orgId, projectId, stageId }, keys) }
  }

  async #commit(address: StageAddress, by: string, prepared: Prepared): Promise<Committed> {
    const { target, states, deletes, growth, result } = prepared
    const at: Written = { stageId: target.stageId, revision: result.revision, by, nowMs: this.#clock.now() }
    let reservation: Reservation | undefined
    try {
      return await this.#sql.tx(async (tx) => {
        if (!(await this.#claim(tx, address, target, at))) throw new Undone('moved')
        reservation = await this.#meter.reserve(tx, address.orgId, growth)
        if (!reservation) throw new Undone('over the limit')
        // Sent together: one after the other, each would be a round trip to PostgreSQL.
        await Promise.all([
          ...deletes.map((name) => deleteVariable(tx, at, name)),
          ...states.map((state) => putVariable(tx, at, state)),
        ])
        return { reservation }
      })
    } catch (error) {
      if (reservation) this.#meter.release(reservation)
      if (error instanceof Undone) return error.why
      throw error
    }
  }

  /** Makes the stage this transaction's: moves it on, or creates it with what is missing above it. */
  async #claim(tx: Tx, { orgId, projectSlug, stageSlug }: StageAddress, target: Target, at: Written): Promise<boolean> {
    if (target.stage) return advanceRevision(tx, target.stageId, target.stage.revision)
    const { by, nowMs } = at
    if (target.newProjectKey) {
      const { projectId, newProjectKey } = target
      if (!(await insertProject(tx, orgId, { id: projectId, slug: projectSlug, by, nowMs }))) return false
      await this.#keyring.keep(tx, projectId, newProjectKey, nowMs)
    }
    return insertStage(tx, target.projectId, { id: target.stageId, slug: stageSlug, by, nowMs })
  }
}

/** Rolls the transaction back. */
class Undone extends Error {
  readonly why: 'moved' | 'over the limit'

  constructor(why: 'moved' | 'over the limit') {
    super(why)
    this.why = why
  }
}

/** The checks that need the stage. Throws Fault. */
function assertWritable(stage: Stage | undefined, { mode, entries, ifRevision }: WriteRequest): void {
  const revision = stage?.revision ?? 0
  if (ifRevision !== undefined && ifRevision !== revision) {
    throw new Fault('REVISION_CONFLICT', `The stage is at revision ${revision}, not ${ifRevision}.`)
  }
  for (const [index, entry] of entries.entries()) {
    const stored = stage?.variables.get(entry.name)
    assertOfType(index, entry, typeAfter(entry, stored))
    if (mode === 'create_only' && stored) {
      throw new Fault('INVALID_REQUEST', `${entryText(index, entry)} exists already, and mode is create_only.`)
    }
  }
}

function assertOfType(index: number, entry: WriteEntry, type: DeclaredType | undefined): void {
  if (!type || kinds[entry.kind].plaintexts(entry).every((value) => isOfDeclaredType(type, value))) return
  throw new Fault('INVALID_REQUEST', `${entryText(index, entry)} has a value that is no ${type}.`)
}

/** Names an entry, never its value. */
function entryText(index: number, { name }: WriteEntry): string {
  return `entries[${index}] (${JSON.stringify(name)})`
}

/** An omitted declared type keeps the stored one. */
function typeAfter(entry: WriteEntry, stored: StoredVariable | undefined): DeclaredType | undefined {
  return entry.declaredType ?? stored?.declaredType
}

function prepare(target: Target, entries: readonly WriteEntry[], deletes: string[]): Prepared {
  const before = target.stage?.variables ?? nothing
  const states = entries.map((entry) => sealed(target.sealer, entry, typeAfter(entry, before.get(entry.name))))
  const sizeBefore = [...deletes, ...entries.map(({ name }) => name)].reduce(
    (sum, name) => sum + (before.get(name)?.size ?? 0),
    0,
  )
  const sizeAfter = states.reduce((sum, state) => sum + state.sealed.length, 0)
  const names = entries.map(({ name }) => name).toSorted(compareCodePoints)
  return {
    target,
    states,
    deletes,
    growth: sizeAfter - sizeBefore,
    result: {
      created: names.filter((name) => !before.has(name)),
      updated: names.filter((name) => before.has(name)),
      deleted: deletes.toSorted(compareCodePoints),
      revision: (target.stage?.revision ?? 0) + 1,
    },
  }
}

function sealed(sealer: Sealer, entry: WriteEntry, type: DeclaredType | undefined): VariableState {
  const rules = kinds[entry.kind]
  const values = rules.plaintexts(entry)
  return {
    name: entry.name,
    kind: entry.kind,
    declaredType: type ?? null,
    facets: JSON.stringify(rules.facets(entry)),
    sealed: pack(rules.roles.map((role, index) => sealer.seal(entry.name, entry.kind, role, values[index] as string))),
  }
}
