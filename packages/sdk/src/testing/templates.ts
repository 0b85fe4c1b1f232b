/** Templates of an in-memory stage: the results that the service would store, and its refusals. */
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
  valuesOf,
  type Attributes,
  type DeclaredType,
  type Kind,
  type TemplateFacts,
  type TemplateVariable,
} from '@rollkey/contract/rules'
import { RollkeyError } from '../errors.ts'
import type { WriteEntry } from '../wire.ts'

/** A variable of a stage, of which this needs only what templates are about. */
interface Variable {
  readonly name: string
  readonly kind: Kind
  readonly declaredType?: DeclaredType | undefined
  readonly attributes: Attributes
  readonly values: readonly string[]
  /** The texts of a template. */
  readonly template?: readonly string[] | undefined
}

/** Returns what makes an entry a template. Throws INVALID_REQUEST. */
export function templateOf(entry: WriteEntry): TemplateFacts {
  if (!entry.template) return {}
  const texts = valuesOf(entry)
  for (const text of texts) partsOf(entry.name, text)
  return { template: true, sources: sourcesOf(texts) }
}

/**
 * Returns the variables of a stage after a write that depend on what it changes or are templates that it states, with their results. Throws
 * INVALID_REQUEST.
 */
export function replacedTemplates<Stored extends Variable>(
  after: ReadonlyMap<string, Stored>,
  touched: readonly string[],
  deletes: readonly string[],
): Stored[] {
  const all = [...after.values()].flatMap(({ name, attributes: { sources } }) =>
    sources ? [[name, sources] as const] : [],
  )
  for (const source of deletes) {
    const names = all.flatMap(([name, sources]) => (sources.includes(source) ? [name] : []))
    if (names.length > 0) throw invalid(describeDeletedSource(source, names))
  }
  const stated = touched.filter((name) => after.get(name)?.attributes.template)
  const order = orderTemplates([...stated, ...dependentsOf(touched, all)], (name) => factsOf(after.get(name)))
  if ('fault' in order) throw invalid(describeTemplateProblem(order))
  const results = new Map<string, Stored>()
  const valueOf = (source: string): string => (results.get(source) ?? after.get(source))?.values[0] ?? ''
  for (const name of order) {
    const variable = after.get(name)
    if (!variable?.template) continue
    const values = variable.template.map((text) => resultOf(name, text, valueOf))
    assertOfType(variable, values)
    results.set(name, { ...variable, values })
  }
  return [...results.values()]
}

function factsOf(variable: Variable | undefined): TemplateVariable | undefined {
  return variable && { kind: variable.kind, ...variable.attributes }
}

function partsOf(name: string, text: string) {
  const parts = parseTemplate(text)
  if ('position' in parts) throw invalid(describeTemplateTextProblem(name, parts))
  return parts
}

function resultOf(name: string, text: string, valueOf: (source: string) => string): string {
  const result = fillTemplate(partsOf(name, text), valueOf)
  if (result !== undefined) return result
  throw invalid(describeLargeResult(name, text))
}

function assertOfType({ name, declaredType }: Variable, values: readonly string[]): void {
  if (!declaredType || values.every((value) => isOfDeclaredType(declaredType, value))) return
  throw invalid(describeMistypedResult(name, declaredType))
}

function invalid(message: string): RollkeyError {
  return new RollkeyError('INVALID_REQUEST', message)
}
