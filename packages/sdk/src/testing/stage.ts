/** An in-memory stage: its variables, its revision and the rules of a write. */
import {
  attributesOf,
  changedPins,
  compareCodePoints,
  contradictionOf,
  isOfDeclaredType,
  isProductionByDefault,
  isRequiredIn,
  requirementOf,
  valuesOf,
  type Attributes,
  type CompletePins,
  type Declaration,
  type DeclaredType,
  type Kind,
} from '@rollkey/contract/rules'
import { RollkeyError } from '../errors.ts'
import type { Write } from '../types.ts'
import type { WriteEntry } from '../wire.ts'
import { replacedTemplates, templateOf } from './templates.ts'

export interface StoredVariable {
  readonly name: string
  readonly kind: Kind
  readonly declaredType?: DeclaredType | undefined
  readonly attributes: Attributes
  /** The values in the order of the kind. */
  readonly values: readonly string[]
  /** The texts of a template. */
  readonly template?: readonly string[] | undefined
  readonly pins: CompletePins
  /** Unix time in milliseconds. */
  readonly createdAtMs: number
  /** Unix time in milliseconds. */
  readonly updatedAtMs: number
}

export interface WriteResult {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly revision: number
}

export class TestStage {
  readonly #variables = new Map<string, StoredVariable>()
  /** The revision that changed each name last, deleted ones too. */
  readonly #changedAt = new Map<string, number>()
  #revision = 0
  #createdAtMs = 0
  #updatedAtMs = 0
  readonly #slug: string
  /** What the project expects of its variables, by name. */
  readonly #declarations: ReadonlyMap<string, Declaration>

  constructor(slug: string, declarations: ReadonlyMap<string, Declaration>) {
    this.#slug = slug
    this.#declarations = declarations
  }

  /** Unix times in milliseconds. They mean nothing at revision 0. */
  get times(): { readonly createdAtMs: number; readonly updatedAtMs: number } {
    return { createdAtMs: this.#createdAtMs, updatedAtMs: this.#updatedAtMs }
  }

  get revision(): number {
    return this.#revision
  }

  get(name: string): StoredVariable | undefined {
    return this.#variables.get(name)
  }

  /** Returns the names that changed after a revision, in the order of the wire. */
  changedAfter(revision: number): string[] {
    const changed = [...this.#changedAt].filter(([, changedAt]) => changedAt > revision)
    return changed.map(([name]) => name).toSorted(compareCodePoints)
  }

  /** Returns all variables in the order of the wire. */
  all(): StoredVariable[] {
    return [...this.#variables.values()].toSorted((a, b) => compareCodePoints(a.name, b.name))
  }

  /** Applies a write atomically. Declarations are about values that do not stay. Throws INVALID_REQUEST or REVISION_CONFLICT. */
  write(request: Write, keepsValues = false): WriteResult {
    const { entries = [], deletes = [] } = request
    this.#assertWritable(request)
    const nowMs = Date.now()
    const states = this.#statesAfter(entries, deletes, nowMs)
    if (!keepsValues) this.#assertDeclared(states, deletes)
    const names = states.map(({ name }) => name).toSorted(compareCodePoints)
    const deleted = deletes.filter((name) => this.#variables.has(name)).toSorted(compareCodePoints)
    const created = names.filter((name) => !this.#variables.has(name))
    const updated = names.filter((name) => this.#variables.has(name))
    for (const state of states) this.#variables.set(state.name, state)
    for (const name of deleted) this.#variables.delete(name)
    if (names.length + deleted.length > 0) {
      if (this.#revision++ === 0) this.#createdAtMs = nowMs
      this.#updatedAtMs = nowMs
      for (const name of [...names, ...deleted]) this.#changedAt.set(name, this.#revision)
    }
    return { created, updated, deleted, revision: this.#revision }
  }

  /** Returns what a write puts, with the templates that depend on it. Throws INVALID_REQUEST. */
  #statesAfter(entries: readonly WriteEntry[], deletes: readonly string[], nowMs: number): StoredVariable[] {
    const states = new Map(entries.map((entry) => [entry.name, this.#stored(entry, nowMs)]))
    const after = new Map([...this.#variables, ...states])
    for (const name of deletes) after.delete(name)
    for (const variable of replacedTemplates(after, [...states.keys(), ...deletes], deletes)) {
      const isChanged = variable.values.some(
        (value, index) => value !== this.#variables.get(variable.name)?.values[index],
      )
      if (states.has(variable.name) || isChanged) states.set(variable.name, { ...variable, updatedAtMs: nowMs })
    }
    return [...states.values()]
  }

  #assertWritable({ mode, entries = [], ifRevision }: Write): void {
    if (ifRevision !== undefined && ifRevision !== this.#revision) {
      throw new RollkeyError('REVISION_CONFLICT', `The stage is at revision ${this.#revision}, not ${ifRevision}.`)
    }
    for (const entry of entries) {
      const { name, declaredType, values, template } = this.#stored(entry, 0)
      const text = JSON.stringify(name)
      if (declaredType && !template && !values.every((value) => isOfDeclaredType(declaredType, value))) {
        throw new RollkeyError(
          'INVALID_REQUEST',
          `${text} must be ${requirementOf(declaredType)}: correct the value, or change the declared type.`,
        )
      }
      if (mode === 'create_only' && this.#variables.has(name)) {
        throw new RollkeyError(
          'INVALID_REQUEST',
          `${text} already exists, and mode is create_only: use mode upsert, or another name.`,
        )
      }
    }
  }

  /** Throws INVALID_REQUEST for a value that contradicts its declaration, and a deletion of what the stage requires. */
  #assertDeclared(states: readonly StoredVariable[], deletes: readonly string[]): void {
    for (const state of states) {
      const { name } = state
      const declaration = this.#declarations.get(name)
      const contradiction = declaration && contradictionOf(declaration, state, state.values)
      if (contradiction)
        throw new RollkeyError(
          'INVALID_REQUEST',
          `${JSON.stringify(name)} ${contradiction.expected}, as the project declares: correct the variable, or change its declaration first.`,
        )
    }
    const stage = { stageSlug: this.#slug, isProduction: isProductionByDefault(this.#slug) }
    const kept = deletes.find(
      (name) => this.#variables.has(name) && isRequiredIn(this.#declarations.get(name) ?? {}, stage),
    )
    if (kept !== undefined)
      throw new RollkeyError(
        'INVALID_REQUEST',
        `${JSON.stringify(kept)} is required in ${this.#slug}, as the project declares: keep it, or change its declaration first.`,
      )
  }

  /** Returns an entry as stored. An omitted declared type or attribute keeps the stored one. */
  #stored(entry: WriteEntry, nowMs: number): StoredVariable {
    const before = this.#variables.get(entry.name)
    const { name, kind, declaredType = before?.declaredType } = entry
    const times = { createdAtMs: before?.createdAtMs ?? nowMs, updatedAtMs: nowMs }
    const attributes = { ...attributesOf(entry, before?.attributes), ...templateOf(entry) }
    const values = valuesOf(entry)
    const stored = before?.kind === kind ? before.pins : {}
    const pins = changedPins(stored, kind === 'ab_roll' ? { pins: entry.pins } : {})
    const template = entry.template ? values : undefined
    return { name, kind, declaredType, attributes, values, template, pins, ...times }
  }
}
