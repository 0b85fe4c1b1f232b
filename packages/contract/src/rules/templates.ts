/** Templates: values in which `${NAME}` stands for the value of another secret of the stage (docs/templates.md). */
import { compareCodePoints } from './code-points.ts'
import { requirementOf, type DeclaredType } from './declared-types.ts'
import { exposures, isMoreExposed, type Exposure, type Kind } from './kinds.ts'
import { limits } from './limits.ts'

const encoder = new TextEncoder()

/** Names that every shell and process supports in its environment (POSIX.1-2024, 8.1). */
const environmentName = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Returns whether every shell and process supports a name in its environment, so that a template can name it. Never throws.
 *
 * @example
 * isEnvironmentName('DB_PASSWORD') // true
 */
export function isEnvironmentName(name: string): boolean {
  return environmentName.test(name)
}

/** A part of a template: text, or the variable whose value takes its place. */
export type TemplatePart =
  | string
  | {
      /** Name of the variable. */
      readonly source: string
    }

/** What is wrong with the text of a template. */
export interface TemplateTextProblem {
  /** Characters of the text before what is wrong. */
  readonly position: number
}

/**
 * Returns the parts of a template, or what is wrong with it: a `${` that no name and `}` follow. `$${` is the text `${`. Never throws.
 *
 * @example
 * parseTemplate('$${A} is ${A}') // ['${A} is ', { source: 'A' }]
 */
export function parseTemplate(text: string): readonly TemplatePart[] | TemplateTextProblem {
  const parts: TemplatePart[] = []
  let literal = ''
  let at = 0
  for (;;) {
    const open = text.indexOf('${', at)
    if (open < 0) break
    if (open > at && text[open - 1] === '$') {
      literal += text.slice(at, open - 1) + '${'
      at = open + 2
      continue
    }
    const close = text.indexOf('}', open)
    const source = text.slice(open + 2, Math.max(close, 0))
    if (close < 0 || !isEnvironmentName(source) || source.length > limits.nameCharacters) return { position: open }
    literal += text.slice(at, open)
    if (literal !== '') parts.push(literal)
    parts.push({ source })
    literal = ''
    at = close + 1
  }
  literal += text.slice(at)
  if (literal !== '') parts.push(literal)
  return parts
}

/**
 * Returns the variables that templates name, each once and in wire order. A text that is not a template names none. Never throws.
 *
 * @example
 * sourcesOf(['postgres://${USER}:${PASSWORD}@db']) // ['PASSWORD', 'USER']
 */
export function sourcesOf(texts: readonly string[]): string[] {
  const names = new Set<string>()
  for (const text of texts) {
    const parts = parseTemplate(text)
    if (!('position' in parts)) for (const part of parts) if (typeof part !== 'string') names.add(part.source)
  }
  return [...names].toSorted(compareCodePoints)
}

/**
 * Returns a template with the values of its sources, or undefined if that is larger than a value may be. Values are not replaced again.
 *
 * @throws What `valueOf` throws.
 *
 * @example
 * fillTemplate(['postgres://app:', { source: 'PASSWORD' }, '@db'], () => 'x') // 'postgres://app:x@db'
 */
export function fillTemplate(parts: readonly TemplatePart[], valueOf: (source: string) => string): string | undefined {
  const texts: string[] = []
  const sizes = new Map<string, number>()
  let bytes = 0
  for (const part of parts) {
    const text = typeof part === 'string' ? part : valueOf(part.source)
    const size = sizes.get(text) ?? encoder.encode(text).length
    sizes.set(text, size)
    bytes += size
    if (bytes > limits.valueBytes) return undefined
    texts.push(text)
  }
  return texts.join('')
}

/** What of a variable matters to the templates that name it, and to itself as a template. */
export interface TemplateVariable {
  /** Kind of the variable. Only secrets can be sources. */
  readonly kind: Kind
  /** Who sees its value without a reveal. Absent: no one. */
  readonly exposure?: Exposure | undefined
  /** The variables that it names. Absent: it is not a template. */
  readonly sources?: readonly string[] | undefined
}

/**
 * Why a template cannot be replaced. `missing`: the stage has no such source. `roll`: the source is not a secret. `cycle`: the source names
 * the template, by itself or by others. `depth`: the source is a template too deep. `exposure`: the template would be seen by more than the source.
 */
export type TemplateFault = 'missing' | 'roll' | 'cycle' | 'depth' | 'exposure'

/** A template that cannot be replaced, and the source because of which. */
export interface TemplateProblem {
  /** Name of the template. */
  readonly name: string
  /** Name of the source. */
  readonly source: string
  /** What is wrong with the source. */
  readonly fault: TemplateFault
}

/** The sources that a template waits for, while they are ordered. */
interface Step {
  readonly name: string
  readonly sources: readonly string[]
  next: number
  depth: number
}

/**
 * Returns templates in an order in which each follows those that it names, or the first problem of one of them or of a source. Takes time in
 * proportion to what they name.
 *
 * @param names The templates. The order contains no others.
 * @param variableOf Returns a variable of the stage; undefined if there is none.
 * @throws What `variableOf` throws.
 * @example
 * const stage = { A: { kind: 'secret' }, B: { kind: 'secret', sources: ['A'] }, C: { kind: 'secret', sources: ['B'] } } as const
 * orderTemplates(['C', 'B'], (name) => stage[name as 'A']) // ['B', 'C']
 */
export function orderTemplates(
  names: Iterable<string>,
  variableOf: (name: string) => TemplateVariable | undefined,
): readonly string[] | TemplateProblem {
  const wanted = new Set(names)
  const order: string[] = []
  /** By name: 0 for a secret that is not a template, -1 while its sources are ordered. */
  const depths = new Map<string, number>()
  for (const root of wanted) {
    if (depths.has(root)) continue
    const path: Step[] = [stepOf(root, variableOf)]
    depths.set(root, -1)
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const source = step.sources[step.next]
      if (source === undefined) {
        path.pop()
        depths.set(step.name, step.depth)
        if (wanted.has(step.name)) order.push(step.name)
        continue
      }
      const known = depths.get(source) ?? begin(source, path, depths, variableOf)
      if (known === undefined) continue
      const fault = typeof known === 'string' ? known : faultOf(step, source, known, variableOf)
      if (fault) return { name: step.name, source, fault }
      step.depth = Math.max(step.depth, Number(known) + 1)
      step.next++
    }
  }
  return order
}

function stepOf(name: string, variableOf: (name: string) => TemplateVariable | undefined): Step {
  return { name, sources: variableOf(name)?.sources ?? [], next: 0, depth: 1 }
}

/** Returns the depth of a source that is not a template, or what is wrong with it; undefined if its own sources come first. */
function begin(
  name: string,
  path: Step[],
  depths: Map<string, number>,
  variableOf: (name: string) => TemplateVariable | undefined,
): number | TemplateFault | undefined {
  const variable = variableOf(name)
  if (!variable) return 'missing'
  if (variable.kind !== 'secret') return 'roll'
  depths.set(name, variable.sources ? -1 : 0)
  if (!variable.sources) return 0
  path.push(stepOf(name, variableOf))
  return undefined
}

function faultOf(
  { name }: Step,
  source: string,
  depth: number,
  variableOf: (name: string) => TemplateVariable | undefined,
): TemplateFault | undefined {
  if (depth < 0) return 'cycle'
  if (depth >= limits.templateDepth) return 'depth'
  const found = variableOf(source)
  if (found?.kind !== 'secret') return 'roll'
  return isMoreExposed(variableOf(name)?.exposure, found.exposure) ? 'exposure' : undefined
}

/** Names of templates, each with those that it names. */
type NamedSources = readonly (readonly [name: string, sources: readonly string[]])[]

/**
 * Returns the templates by the variables that they name themselves. Never throws.
 *
 * @example
 * templatesBySource([['B', ['A']], ['C', ['B']]]).get('A') // ['B']
 */
export function templatesBySource(templates: NamedSources): ReadonlyMap<string, readonly string[]> {
  const bySource = new Map<string, string[]>()
  for (const [name, sources] of templates)
    for (const source of sources) {
      const known = bySource.get(source)
      if (known) known.push(name)
      else bySource.set(source, [name])
    }
  return bySource
}

/**
 * Returns the templates that name one of the variables, by themselves or by others, in the order of `templates`. Never throws.
 *
 * @param bySource What `templatesBySource` returns of the templates, for a caller that asks again.
 * @example
 * dependentsOf(['A'], [['B', ['A']], ['C', ['B']], ['D', []]]) // ['B', 'C']
 */
export function dependentsOf(
  names: Iterable<string>,
  templates: NamedSources,
  bySource = templatesBySource(templates),
): string[] {
  const found = new Set<string>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
    for (const dependent of bySource.get(name) ?? [])
      if (!found.has(dependent)) {
        found.add(dependent)
        waiting.push(dependent)
      }
  return found.size === 0 ? [] : templates.flatMap(([name]) => (found.has(name) ? [name] : []))
}

/**
 * Returns a sentence that says what is wrong with a template, and what to do. Never throws.
 *
 * @example
 * describeTemplateProblem({ name: 'URL', source: 'HOST', fault: 'missing' })
 * // 'The template "URL" names "HOST", which the stage does not have: create it, or write $${ for text.'
 */
export function describeTemplateProblem({ name, source, fault }: TemplateProblem): string {
  const [of, by] = [JSON.stringify(name), JSON.stringify(source)]
  const texts: { readonly [Fault in TemplateFault]: string } = {
    missing: `The template ${of} names ${by}, which the stage does not have: create it, or write $\${ for text.`,
    roll: `The template ${of} names ${by}, which is a roll (expected a secret): name a secret.`,
    cycle: `The template ${of} names ${by}, which needs ${of} itself: remove one of the two.`,
    depth: `The template ${of} names ${by}, which is the last of ${limits.templateDepth} templates that need each other (maximum ${limits.templateDepth}): name the sources of ${by} directly.`,
    exposure: `The template ${of} would show its source ${by} to more readers than may see that (expected at most the exposure of each source: ${exposures.join(', ')}, from the fewest readers): lower the exposure of ${of}, or raise that of ${by}.`,
  }
  return texts[fault]
}

const maxListed = 10

/**
 * Joins names for people, at most ten of them. Never throws.
 *
 * @example
 * listedNames(['A', 'B']) // '"A", "B"'
 */
export function listedNames(names: readonly string[]): string {
  const shown = names.slice(0, maxListed).map((name) => JSON.stringify(name))
  return shown.join(', ') + (names.length > maxListed ? ` and ${names.length - maxListed} more` : '')
}

/**
 * Returns a sentence that says that a source cannot be deleted, and what to do. Never throws.
 *
 * @param templates The templates that name it.
 * @example
 * describeDeletedSource('HOST', ['URL'])
 */
export function describeDeletedSource(source: string, templates: readonly string[]): string {
  return `${JSON.stringify(source)} cannot be deleted, because templates name it: ${listedNames(templates)}. Delete or change them in the same write.`
}

/**
 * Returns a sentence that says that the result of a template would be larger than a value may be, and what to do. Never throws.
 *
 * @param text The text of the template, which the sentence does not have.
 * @example
 * describeLargeResult('URL', 'https://${HOST}')
 */
export function describeLargeResult(name: string, text: string): string {
  return `The template ${JSON.stringify(name)} with the values of ${listedNames(sourcesOf([text]))} would be too large (maximum ${limits.valueBytes} bytes): shorten the template or its sources.`
}

/**
 * Returns a sentence that says that the result of a template is not of its declared type, without the result. Never throws.
 *
 * @example
 * describeMistypedResult('PORT', 'int64')
 */
export function describeMistypedResult(name: string, declaredType: DeclaredType): string {
  return `The result of the template ${JSON.stringify(name)} must be ${requirementOf(declaredType)}: correct the template or the values of its sources, or change the declared type.`
}

/**
 * Returns a sentence that says that the text of a template is malformed, without the text. Never throws.
 *
 * @example
 * describeTemplateTextProblem('URL', { position: 4 })
 */
export function describeTemplateTextProblem(name: string, { position }: TemplateTextProblem): string {
  return `The template ${JSON.stringify(name)} has a \${ after ${position} characters that does not begin a variable (expected \${NAME} with letters, digits and _, not beginning with a digit): correct it, or write $\${ for text.`
}
