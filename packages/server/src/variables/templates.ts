/**
 * Templates (docs/templates.md). They are replaced when something is written, so that whatever reads a stage finds values: the write that
 * changes a source also writes its dependents. The text is sealed beside the result, and the names of its sources are attributes.
 */
import {
  dependentsOf,
  describeDeletedSource,
  describeLargeResult,
  describeMistypedResult,
  describeTemplateProblem,
  describeTemplateTextProblem,
  fillTemplate,
  isOfDeclaredType,
  orderTemplates,
  parseTemplate,
  sourcesOf,
  templateFieldsOf,
  valueFieldsOf,
  valuesOf,
  type Attributes,
  type Kind,
  type TemplateFacts,
  type TemplatePart,
  type TemplateVariable,
  type WriteEntry,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Sealer } from '../crypto/seal.ts'
import { unpackVariable } from '../stages/payloads.ts'
import type { Templates } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import type { VariableState } from '../storage/variables.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { openPins, openTemplate, openValue, openValues, sealValues, type Plaintext, type Sealed } from './values.ts'

/**
 * Returns the plaintext of an entry and what makes it a template. Until its sources are known, the values of a template are its texts. Throws
 * INVALID_REQUEST.
 */
export function statedTemplate(entry: WriteEntry): Plaintext & { readonly facts: TemplateFacts } {
  const values = valuesOf(entry)
  if (!entry.template) return { values, facts: {} }
  for (const text of values) partsOf(entry.name, text)
  return { values, template: JSON.stringify(values), facts: { template: true, sources: sourcesOf(values) } }
}

/** Returns the fields of an answer with the values of a variable and, of a template, the texts. */
export function entryFieldsOf(kind: Kind, { values, template }: Omit<Plaintext, 'pins'>): object {
  return {
    ...valueFieldsOf(kind, values.map(String)),
    ...(template !== undefined && templateFieldsOf(kind, textsOf(template))),
  }
}

function textsOf(template: string | Buffer): readonly string[] {
  return JSON.parse(String(template)) as string[]
}

/** Throws INVALID_REQUEST, without the text, which may contain a secret. */
function partsOf(name: string, text: string): readonly TemplatePart[] {
  const parts = parseTemplate(text)
  if ('position' in parts) throw new ApiError('INVALID_REQUEST', describeTemplateTextProblem(name, parts))
  return parts
}

/** A write in which templates are to be replaced. */
export interface TemplateWrite {
  /** The variables of the stage before the write. */
  readonly before: ReadonlyMap<string, StoredVariable>
  /** Its templates. */
  readonly templates: Templates
  readonly sealer: Sealer
  /** What the write puts; a template with its texts as values, or with any result. */
  readonly states: readonly VariableState[]
  readonly deletes: readonly string[]
  /** Maximum bytes of the results of a write. */
  readonly maxBytes: number
}

/**
 * Returns what a write puts with the results of its templates, and after that the templates of the stage whose result it changes. Throws
 * INVALID_REQUEST naming a template and a source, and EVALUATION_FAILED for one that does not open.
 */
export async function withTemplates(write: TemplateWrite): Promise<readonly VariableState[]> {
  const after = new StageAfter(write)
  const { names } = after
  if (names.length === 0) return write.states
  after.assertNoSourceDeleted()
  const order = orderTemplates(names, (name) => after.find(name))
  if ('fault' in order) throw new ApiError('INVALID_REQUEST', describeTemplateProblem(order))
  const slices = new TimeSlices()
  for (const name of order) {
    after.replace(name)
    if (slices.isOver) await slices.next()
  }
  return after.states
}

/** A variable that a write puts. */
type Variable = TemplateVariable & Sealed

/** A stage as a write leaves it, while its templates are replaced. */
class StageAfter {
  /** The templates that the write states, and those that depend on what it changes, in the order of the stage. */
  readonly names: readonly string[]
  readonly #write: TemplateWrite
  readonly #states: Map<string, VariableState>
  readonly #puts: ReadonlyMap<string, Variable>
  readonly #deletes: ReadonlySet<string>
  /** The sources of each template of the stage after the write. */
  readonly #templates: (readonly [name: string, sources: readonly string[]])[] = []
  readonly #values = new Map<string, string>()
  #bytes = 0

  constructor(write: TemplateWrite) {
    const { templates, states, deletes } = write
    this.#write = write
    this.#states = new Map(states.map((state) => [state.name, state]))
    this.#deletes = new Set(deletes)
    this.#puts = new Map(states.map((state) => [state.name, variableOf(state)]))
    for (const [name, { sources }] of this.#puts) if (sources) this.#templates.push([name, sources])
    const stated = this.#templates.map(([name]) => name)
    for (const [name, sources] of templates)
      if (!this.#puts.has(name) && !this.#deletes.has(name)) this.#templates.push([name, sources])
    this.names =
      this.#templates.length === 0
        ? []
        : [...new Set([...stated, ...dependentsOf([...this.#puts.keys(), ...deletes], this.#templates)])]
  }

  /** What the write puts, and after that the dependents that it changes. */
  get states(): readonly VariableState[] {
    return [...this.#states.values()]
  }

  find(name: string): TemplateVariable | undefined {
    if (this.#deletes.has(name)) return undefined
    const put = this.#puts.get(name)
    if (put) return put
    const stored = this.#write.before.get(name)
    return stored && { kind: stored.kind, exposure: stored.attributes.exposure, sources: stored.attributes.sources }
  }

  #sealed(name: string): Sealed | undefined {
    if (this.#deletes.has(name)) return undefined
    const put = this.#puts.get(name)
    if (put) return put
    const stored = this.#write.before.get(name)
    return stored && { name, kind: stored.kind, ...stored.blobs }
  }

  /** Throws INVALID_REQUEST naming the templates whose source the write deletes. */
  assertNoSourceDeleted(): void {
    for (const source of this.#deletes) {
      const names = this.#templates.flatMap(([name, sources]) => (sources.includes(source) ? [name] : []))
      if (names.length === 0) continue
      throw new ApiError('INVALID_REQUEST', describeDeletedSource(source, names))
    }
  }

  /** Replaces the sources of a template, after those that it names. Throws ApiError. */
  replace(name: string): void {
    const variable = this.#sealed(name)
    if (!variable) return
    const { sealer, before } = this.#write
    const { values, pins, template } = this.#open(name, () => ({
      values: openValues(sealer, variable),
      pins: openPins(sealer, variable),
      template: openTemplate(sealer, variable),
    }))
    if (template === undefined) throw unopened(name)
    const results = textsOf(template).map((text) => this.#resultOf(name, text))
    // Only a secret is a source, and it has one value.
    this.#values.set(name, results[0] ?? '')
    const stored = before.get(name)
    const state = this.#states.get(name) ?? (stored && stateOf(stored))
    if (!state) return
    assertOfType(state, results)
    if (results.every((result, index) => values[index]?.equals(Buffer.from(result)))) return
    this.#states.set(name, {
      ...state,
      sealed: sealValues(sealer, variable, { values: results, pins, template }, variable),
    })
  }

  /** Throws INVALID_REQUEST for a result that is too large. */
  #resultOf(name: string, text: string): string {
    const result = fillTemplate(partsOf(name, text), (source) => this.#valueOf(source))
    this.#bytes += Buffer.byteLength(result ?? '')
    if (result === undefined) throw new ApiError('INVALID_REQUEST', describeLargeResult(name, text))
    if (this.#bytes <= this.#write.maxBytes) return result
    throw new ApiError(
      'INVALID_REQUEST',
      `The results of all templates that the write changes would be too large (maximum ${this.#write.maxBytes} bytes): shorten the templates or their sources.`,
    )
  }

  #valueOf(source: string): string {
    const known = this.#values.get(source)
    if (known !== undefined) return known
    const variable = this.#sealed(source)
    if (!variable) throw unopened(source)
    const value = this.#open(source, () => openValue(this.#write.sealer, variable, 0).toString())
    this.#values.set(source, value)
    return value
  }

  /** Throws EVALUATION_FAILED. */
  #open<T>(name: string, open: () => T): T {
    const opened = undefinedIfCannotOpen(open)
    if (opened === undefined) throw unopened(name)
    return opened
  }
}

function variableOf({ name, kind, attributes, sealed }: VariableState): Variable {
  const { exposure, sources } = JSON.parse(attributes) as Attributes
  return { name, kind, exposure, sources, ...unpackVariable(kind, sealed) }
}

function stateOf({ name, kind, declaredType, attributes }: StoredVariable): VariableState {
  return {
    name,
    kind,
    declaredType: declaredType ?? null,
    attributes: JSON.stringify(attributes),
    sealed: Buffer.alloc(0),
  }
}

/** Throws INVALID_REQUEST, without the result. */
function assertOfType({ name, declaredType }: VariableState, results: readonly string[]): void {
  if (declaredType === null || results.every((result) => isOfDeclaredType(declaredType, result))) return
  throw new ApiError('INVALID_REQUEST', describeMistypedResult(name, declaredType))
}

function unopened(name: string): ApiError {
  return new ApiError(
    'EVALUATION_FAILED',
    `The stored value or template of ${JSON.stringify(name)} cannot be opened, so the templates that need it cannot be replaced: state it in the same write.`,
  )
}
