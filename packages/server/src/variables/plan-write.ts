/** Decides what a write does to a stage in memory, and seals it: nothing is stored yet. */
import { compareCodePoints, isMoreExposed, type Attributes, type Exposure } from '@rollkey/contract'
import type { Clock } from '../base/clock.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { Sealer } from '../crypto/seal.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { Actor } from '../storage/actor.ts'
import type { Origin, VariableState, WriteContext } from '../storage/variables.ts'
import type { Placement, PlannedProject } from '../stages/placement.ts'
import { assertFits, textBytesOf, type StageSize } from '../stages/stage-size.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { noTemplates, withChanges, type Stage, type StageRef } from '../stages/stages.ts'
import type { Change, Effect } from './changes/change.ts'
import { declaredWriteOf } from './declared.ts'
import { keptValues } from './kept-values.ts'
import { withTemplates } from './templates.ts'
import { reseal } from './values.ts'

/** The result of a write, with names in wire order. */
export interface WriteResult {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly revision: number
}

/** The target of a write: what exists, and what the write must create first. */
export interface Target extends PlannedProject {
  readonly stageId: string
  /** The revision that the write makes. */
  readonly revision: number
  /** The stage; undefined if the write creates it. */
  readonly stage: Stage | undefined
  readonly sealer: Sealer
}

/** Variables that the write shows to more readers, with the exposure before and after. A new variable had none: `-`. */
interface Exposed {
  readonly names: readonly string[]
  /** Undefined for new variables. */
  readonly from: Exposure | undefined
  readonly to: Exposure
}

export interface WritePlan {
  readonly target: Target
  readonly puts: readonly { readonly state: VariableState; readonly origin: Origin; readonly keepsValue: boolean }[]
  /** Names of templates that are updated only because the write changes a source. */
  readonly dependents: ReadonlySet<string>
  /** Billed bytes after minus before. */
  readonly growth: number
  /** Bytes of descriptions after minus before. */
  readonly textGrowth: number
  readonly exposed: readonly Exposed[]
  /** Chances of each roll, by name; `before` is undefined for a new one. */
  readonly chances: ReadonlyMap<string, { readonly before: number | undefined; readonly after: number }>
  /** Names of existing rolls whose chance the write decides: it changes, a ramp sets it, or the roll ends. */
  readonly rolls: readonly string[]
  /** Version of the declarations of the project that it keeps; undefined for a new project. */
  readonly declared: number | undefined
  readonly result: WriteResult
}

/** A write that someone asked for. */
export interface RequestedWrite {
  readonly actor: Actor
  readonly change: Change
}

/** A write that is decided and sealed. */
export interface PlannedWrite<Write extends RequestedWrite = RequestedWrite> {
  readonly write: Write
  readonly plan: WritePlan
  readonly at: WriteContext
  /** The stage after the write; undefined if it has to be read again. */
  readonly after: Stage | undefined
}

const noVariables: ReadonlyMap<string, StoredVariable> = new Map()

export class WritePlanner {
  readonly #keyring: Keyring
  readonly #placement: Placement
  readonly #clock: Clock
  readonly #maxSize: StageSize
  readonly #declarations: Declarations

  constructor(parts: {
    keyring: Keyring
    placement: Placement
    clock: Clock
    maxSize: StageSize
    declarations: Declarations
  }) {
    this.#keyring = parts.keyring
    this.#placement = parts.placement
    this.#clock = parts.clock
    this.#maxSize = parts.maxSize
    this.#declarations = parts.declarations
  }

  /**
   * Plans a write of at most `room` variables. Returns undefined if it changes nothing, and before it seals anything if there are too many.
   * Throws ApiError.
   */
  async plan<Write extends RequestedWrite>(
    stageRef: StageRef,
    stage: Stage | undefined,
    write: Write,
    room = Infinity,
  ): Promise<PlannedWrite<Write> | 'too many' | undefined> {
    const { change, actor } = write
    const effect = await change.decide(stage)
    const names = effect.puts.length + effect.deletes.length
    if (names === 0) return undefined
    if (names > room) return 'too many'
    const target = await this.#target(stageRef, stage)
    // What is sealed here is compared below: with declarations, and with what the stage has.
    const sealer = target.sealer.remembering()
    const planned = await planWrite({ ...target, sealer }, effect, change.action, this.#maxSize.bytes)
    this.#assertFits(stage, planned)
    const states = planned.puts.map(({ state }) => state)
    const declaredWrite = declaredWriteOf(stageRef, { ...target, sealer }, effect, states)
    // The commit of a stage that is created shows nothing about declarations.
    const declared = await (stage
      ? this.#declarations.assertKept(declaredWrite)
      : this.#declarations.assertKeptNow(declaredWrite))
    // A step of a ramp decides the chance of its roll, also where that stays.
    const rolls = change.ramp === undefined ? planned.rolls : planned.result.updated
    const plan: WritePlan = { ...planned, rolls, target, declared }
    const { stageId, revision } = plan.target
    const at = { stageId, revision, by: actor.id, client: actor.client, nowMs: this.#clock.now() }
    const puts = plan.puts.map(({ state }) => state)
    return { write, plan, at, after: stage && withChanges(stage, { ...at, puts, deletes: plan.result.deleted }) }
  }

  async #target(stageRef: StageRef, stage: Stage | undefined): Promise<Target> {
    if (stage) {
      const { projectId, stageId, sealer, revision } = stage
      return { projectId, newKey: undefined, stageId, revision: revision + 1, stage, sealer }
    }
    const { projectId, newKey } = await this.#placement.planProject(stageRef)
    const { id: stageId, revision } = await this.#placement.planStage(projectId, stageRef.stageSlug)
    const context = { orgId: stageRef.orgId, projectId, stageId }
    const sealer = newKey ? new Sealer(context, [newKey.key]) : await this.#keyring.sealerOf(context)
    return { projectId, newKey, stageId, revision, stage, sealer }
  }

  /** Throws INVALID_REQUEST for a stage too large. The check is exact: the commit moves the stage from exactly this revision. */
  #assertFits(
    stage: Stage | undefined,
    { growth, textGrowth, result: { created, deleted } }: Pick<WritePlan, 'growth' | 'textGrowth' | 'result'>,
  ): void {
    const before = { variables: stage?.variables.size ?? 0, bytes: (stage?.bytes ?? 0) + (stage?.textBytes ?? 0) }
    const after = {
      variables: before.variables + created.length - deleted.length,
      bytes: before.bytes + growth + textGrowth,
    }
    assertFits(before, after, this.#maxSize)
  }
}

/** Seals what a write puts, in slices. */
async function planWrite(
  target: Target,
  { puts, deletes }: Effect,
  action: Change['action'],
  maxBytes: number,
): Promise<Omit<WritePlan, 'target' | 'declared'>> {
  const before = target.stage?.variables ?? noVariables
  const templates = target.stage?.templates ?? noTemplates
  const { sealer } = target
  const stated: VariableState[] = []
  const slices = new TimeSlices()
  for (const { seal } of puts) {
    if (slices.isOver) await slices.next()
    const state = seal(sealer)
    // A restored payload may be sealed with a retired key.
    stated.push({ ...state, sealed: reseal(sealer, state) ?? state.sealed })
  }
  const states = await withTemplates({ before, templates, sealer, states: stated, deletes, maxBytes })
  const names = states.map(({ name }) => name).toSorted(compareCodePoints)
  const dependents = new Set(states.slice(stated.length).map(({ name }) => name))
  // A dependent is written because its value is another one.
  const kept = await keptValues(sealer, before, states.slice(0, stated.length), puts)
  const prepared = states.map((state) => {
    const { name } = state
    const isRestored = action === 'restore' && !dependents.has(name)
    const origin = isRestored ? 'restored' : before.has(name) ? 'updated' : 'created'
    return { state, origin, keepsValue: kept.has(name) } as const
  })
  const sizeBefore = [...deletes, ...names].reduce((sum, name) => sum + (before.get(name)?.size ?? 0), 0)
  const sizeAfter = prepared.reduce((sum, { state }) => sum + state.sealed.length, 0)
  const attributes = new Map(
    prepared.map(({ state }) => [state.name, JSON.parse(state.attributes) as Attributes] as const),
  )
  const textBefore = [...deletes, ...names].reduce(
    (sum, name) => sum + textBytesOf(before.get(name)?.attributes ?? {}),
    0,
  )
  const textAfter = [...attributes.values()].reduce((sum, each) => sum + textBytesOf(each), 0)
  return {
    puts: prepared,
    dependents,
    growth: sizeAfter - sizeBefore,
    textGrowth: textAfter - textBefore,
    exposed: exposedBy(before, attributes),
    chances: chancesOf(before, attributes),
    rolls: rollsChanged(before, attributes, deletes),
    result: {
      created: names.filter((name) => !before.has(name)),
      updated: names.filter((name) => before.has(name)),
      deleted: deletes.toSorted(compareCodePoints),
      revision: target.revision,
    },
  }
}

/** Returns the chances of each roll before and after. */
function chancesOf(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
): WritePlan['chances'] {
  return new Map(
    [...attributes].flatMap(([name, { chance: after }]) =>
      after === undefined ? [] : [[name, { before: before.get(name)?.attributes.chance, after }]],
    ),
  )
}

function rollsChanged(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
  deletes: readonly string[],
): readonly string[] {
  const chanceOf = (name: string): number | undefined => before.get(name)?.attributes.chance
  return [...attributes.keys(), ...deletes].filter(
    (name) => chanceOf(name) !== undefined && chanceOf(name) !== attributes.get(name)?.chance,
  )
}

/** Returns the variables that become visible to more readers, and the new ones that client programs see. */
function exposedBy(
  before: ReadonlyMap<string, StoredVariable>,
  attributes: ReadonlyMap<string, Attributes>,
): readonly Exposed[] {
  const raised = [...attributes].flatMap(([name, { exposure: to = 'secret' }]) => {
    const stored = before.get(name)
    const from = stored && (stored.attributes.exposure ?? 'secret')
    const isRaised = from === undefined ? to === 'client' : isMoreExposed(to, from)
    return isRaised ? [{ name, from, to }] : []
  })
  const groups = Map.groupBy(raised, ({ from, to }) => `${from} ${to}`)
  return [...groups.values()].map((group) => ({
    ...(group[0] as (typeof group)[number]),
    names: group.map(({ name }) => name).toSorted(compareCodePoints),
  }))
}
