/**
 * Turns a request into what a change proposes. The changes of a direct write decide it, so that a proposal passes the same checks and
 * means the same. Copied and restored states are those of this moment: what is approved is what is applied.
 */
import { compareCodePoints, isMoreExposed, type Attributes, type Request, type VariableUpdate } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Log } from '../base/log.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Sealer } from '../crypto/seal.ts'
import type { Declarations } from '../declarations/declarations.ts'
import type { RestoreChange } from '../history/restore-change.ts'
import { keyIdOfPacked, unpackVariable } from '../stages/payloads.ts'
import type { Stage } from '../stages/stages.ts'
import type { ChangeValueRow } from '../storage/changes.ts'
import type { VariableState } from '../storage/variables.ts'
import { changeOfChance, type UpdateChange } from '../variables/changes/updates.ts'
import type { Change, Effect } from '../variables/changes/change.ts'
import type { CopyChange, CopySource } from '../variables/changes/copy.ts'
import { changeOfEntries } from '../variables/changes/entries.ts'
import { assertRotatable } from '../variables/changes/rotation.ts'
import { declaredWriteOf } from '../variables/declared.ts'
import { openOrFail } from '../variables/opening.ts'
import { digestsOfValues, sealProposed } from '../variables/proposed.ts'
import { withTemplates } from '../variables/templates.ts'
import { openPlaintext } from '../variables/values.ts'
import {
  assertContent,
  assertNamedOnce,
  assertRotationSteps,
  type Content,
  type ProposedItem,
  type ProposedPut,
} from './content.ts'

/** What a request says about the content of a change. */
export type ContentRequest = Pick<
  Request<'changePropose'>,
  'entries' | 'deletes' | 'updates' | 'copy' | 'restore' | 'ramp'
>

/** What a change proposes, with its sealed values. */
export interface Draft {
  readonly content: Content
  readonly values: readonly ChangeValueRow[]
}

/** The part of a draft that one kind of content contributes. */
interface Part {
  readonly items: readonly ProposedItem[]
  readonly values: readonly ChangeValueRow[]
}

export class Drafts {
  readonly #keyring: Keyring
  readonly #copies: CopyChange
  readonly #restores: RestoreChange
  readonly #updates: UpdateChange
  readonly #declarations: Declarations
  readonly #maxBytes: number
  readonly #log: Log

  constructor(parts: {
    keyring: Keyring
    copies: CopyChange
    restores: RestoreChange
    updates: UpdateChange
    declarations: Declarations
    /** Maximum size of a stage. */
    maxBytes: number
    log: Log
  }) {
    this.#keyring = parts.keyring
    this.#copies = parts.copies
    this.#restores = parts.restores
    this.#updates = parts.updates
    this.#declarations = parts.declarations
    this.#maxBytes = parts.maxBytes
    this.#log = parts.log
  }

  /** Returns what the request proposes for the stage as it is. Throws what a direct write throws. */
  async draft(
    changeId: string,
    { stage, stageSlug }: { readonly stage: Stage; readonly stageSlug: string },
    request: ContentRequest,
    copyFrom: CopySource | undefined,
  ): Promise<Draft> {
    const { entries = [], deletes = [], updates = [], copy, restore, ramp } = request
    const changes: Change[] = []
    if (entries.length > 0 || deletes.length > 0) changes.push(changeOfEntries({ mode: 'upsert', entries, deletes }))
    const others = updates.filter((update) => !isOnlyChance(update))
    if (others.length > 0) changes.push(this.#updates.change({ updates: others }))
    if (copy && copyFrom) changes.push(this.#copies.change(copyFrom, copy))
    if (restore) changes.push(this.#restores.change(restore))
    if (ramp?.value !== undefined) changes.push(changeOfNewValue(stage, ramp, ramp.value))
    const effects: Effect[] = []
    for (const change of changes) effects.push(await change.decide(stage))
    const parts = [await this.#partOf(changeId, { stage, stageSlug }, effects)]
    const chances = updates.filter(isOnlyChance).map(({ name, chance }) => ({ name, chance }))
    const isRoll = ramp !== undefined && ramp.value === undefined
    const rolls = [...chances, ...(isRoll ? [{ name: ramp.name, chance: ramp.steps.at(-1)?.chance ?? 0 }] : [])]
    for (const roll of rolls) await changeOfChance(roll).decide(stage)
    parts.push({ items: rolls.map((roll) => ({ action: 'chance', ...roll })), values: [] })
    const items = parts.flatMap((part) => part.items).toSorted((a, b) => compareCodePoints(a.name, b.name))
    const content: Content = {
      items,
      steps: ramp?.steps,
      guard: ramp?.guard,
      notOn: ramp?.notOn,
      source: { copy: copy?.from, restore: restore?.revision },
    }
    assertContent(content)
    return { content, values: parts.flatMap((part) => part.values) }
  }

  /** Seals the states of all effects for the change. Templates of the stage are replaced when it is applied, but checked now. */
  async #partOf(
    changeId: string,
    { stage, stageSlug }: { readonly stage: Stage; readonly stageSlug: string },
    effects: readonly Effect[],
  ): Promise<Part> {
    const puts = effects.flatMap((effect) => effect.puts)
    const deletes = effects.flatMap((effect) => effect.deletes)
    assertNamedOnce([...puts.map(({ name }) => name), ...deletes])
    const stated = puts.map((put) => put.seal(stage.sealer))
    const sealer = await this.#keyring.sealerOf(
      stage,
      stated.map(({ sealed }) => keyIdOfPacked(sealed)),
    )
    const written = await withTemplates({
      before: stage.variables,
      templates: stage.templates,
      sealer,
      states: stated,
      deletes,
      maxBytes: this.#maxBytes,
    })
    await this.#declarations.assertKeptNow(
      declaredWriteOf({ stageSlug }, { ...stage, sealer }, { puts, deletes }, written),
    )
    const states = written.slice(0, stated.length)
    const keeping = new Set(puts.filter(({ keepsValues }) => keepsValues).map(({ name }) => name))
    const proposed = openOrFail(stage, this.#log, () =>
      states.map((state) => this.#proposed(changeId, stage, sealer, state, keeping.has(state.name))),
    )
    return {
      items: [...proposed.map(({ item }) => item), ...deletes.map((name) => ({ action: 'delete', name }) as const)],
      values: proposed.map(({ value }) => value),
    }
  }

  #proposed(changeId: string, stage: Stage, sealer: Sealer, state: VariableState, keepsValues: boolean) {
    const { name, kind, declaredType } = state
    const attributes = JSON.parse(state.attributes) as Attributes
    const variable = { name, kind, ...unpackVariable(kind, state.sealed) }
    const { values, pins, template } = openPlaintext(sealer, variable)
    const open = { values: values.map(String), pins: pins?.toString(), template: template?.toString() }
    const digest = this.#keyring.digesterOf(stage.orgId)
    const stored = stage.variables.get(name)
    const isRaised = stored && isMoreExposed(attributes.exposure) && !isMoreExposed(stored.attributes.exposure)
    const item: ProposedPut = {
      action: stored ? 'update' : 'create',
      name,
      kind,
      declaredType: declaredType ?? undefined,
      attributes,
      digests: digestsOfValues(digest, { kind, pinned: attributes.pinned }, open),
      raisesExposure: isRaised || undefined,
      keepsValues: keepsValues || undefined,
    }
    const sealed = sealProposed(sealer, { changeId, name, kind }, open)
    return { item, value: { change_id: changeId, name, stage_id: stage.stageId, kind, sealed } }
  }
}

/** Returns the write that a rotation ends with, whose values are proposed. Throws VARIABLE_NOT_FOUND and INVALID_REQUEST. */
function changeOfNewValue(
  stage: Stage,
  { name, steps, guard }: NonNullable<ContentRequest['ramp']>,
  value: string,
): Change {
  assertRotatable(stage, name)
  assertRotationSteps(steps)
  if (guard)
    throw new ApiError(
      'INVALID_REQUEST',
      'A rotation takes no guard, because readers that cannot get two values have the old one until its end: leave guard out.',
    )
  return changeOfEntries({ mode: 'upsert', entries: [{ name, kind: 'secret', value }], deletes: [] })
}

/** Such an update is proposed without the state of its variable, so that it conflicts only where the chance has changed. */
function isOnlyChance(update: VariableUpdate): update is VariableUpdate & { readonly chance: number } {
  const { name: _, chance, ...others } = update
  return chance !== undefined && Object.values(others).every((each) => each === undefined)
}
