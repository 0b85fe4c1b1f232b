/** What a project expects of its variables, and what of a stage contradicts it (docs/declarations.md). */
import { compareCodePoints } from './code-points.ts'
import { brokenConstraint, constraintParts, problemOfConstraint, type Constraint } from './constraints.ts'
import { isOfDeclaredType, requirementOf, type DeclaredType } from './declared-types.ts'
import { isRecord } from './is-record.ts'
import { isMoreExposed, type Exposure } from './kinds.ts'
import { limits } from './limits.ts'
import type { Problem } from './targeting.ts'
import { msPerDay } from './time-zones.ts'

/** Where a variable is required: in all stages, in those marked as production, or in some. */
export type Required = 'all' | 'production' | readonly string[]

/** What a project expects of the variables of one name. */
export interface Declaration {
  /** Name of the variable. */
  readonly name: string
  /** Type of its values. Absent: any text. */
  readonly declaredType?: DeclaredType | undefined
  /** What it is for. Absent: not said. */
  readonly description?: string | undefined
  /** The most that it may be exposed. Absent: not said. */
  readonly exposure?: Exposure | undefined
  /** What its values must be. Absent: anything. */
  readonly constraint?: Constraint | undefined
  /** Where it is required. Absent: nowhere. */
  readonly required?: Required | undefined
  /** Person or group that is responsible. Absent: not said. */
  readonly owner?: string | undefined
  /** How often it should get another value, in days. Absent: not said. */
  readonly rotateEveryDays?: number | undefined
  /** A value for people without access. It is not a secret. Absent: none. */
  readonly example?: string | undefined
}

const slugText = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Returns why something does not say where a variable is required, or undefined. Never throws.
 *
 * @example
 * problemOfRequired('all') // undefined
 * problemOfRequired(true) // { path: [], message: 'must be "all", "production" or a list of slugs of stages' }
 */
export function problemOfRequired(required: unknown): Problem | undefined {
  if (required === 'all' || required === 'production') return undefined
  if (!Array.isArray(required) || !required.every((slug) => typeof slug === 'string' && slugText.test(slug)))
    return { path: [], message: 'must be "all", "production" or a list of slugs of stages' }
  if (required.length > limits.requiringStages)
    return { path: [], message: `must name at most ${limits.requiringStages} stages` }
  return new Set(required).size === required.length ? undefined : { path: [], message: 'must name a stage only once' }
}

/**
 * Returns when a variable should get another value, Unix time in milliseconds, or undefined if nothing says how often. Never throws.
 *
 * @param valueAtMs When it got the value that it has, Unix time in milliseconds.
 * @example
 * rotationDueMs({ rotateEveryDays: 90 }, Date.parse('2027-01-01')) // Date.parse('2027-04-01')
 */
export function rotationDueMs(
  { rotateEveryDays }: Pick<Declaration, 'rotateEveryDays'>,
  valueAtMs: number,
): number | undefined {
  return rotateEveryDays === undefined ? undefined : valueAtMs + rotateEveryDays * msPerDay
}

/** A stage, as what it requires depends on it. */
export interface RequiringStage {
  /** Slug of the stage. */
  readonly stageSlug: string
  /** Whether the stage is marked as production. */
  readonly isProduction: boolean
}

/**
 * Returns whether a stage requires the variable. Never throws.
 *
 * @example
 * isRequiredIn({ required: 'production' }, { stageSlug: 'prod', isProduction: true }) // true
 */
export function isRequiredIn({ required = [] }: Pick<Declaration, 'required'>, stage: RequiringStage): boolean {
  if (required === 'all') return true
  return required === 'production' ? stage.isProduction : required.includes(stage.stageSlug)
}

/** What a variable is, without its values. */
export interface DeclaredVariable {
  /** Name of the variable. */
  readonly name: string
  /** Declared type of the variable. Absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Exposure of the variable. Absent: secret. */
  readonly exposure?: Exposure | undefined
  /** When it got the value that it has, Unix time in milliseconds. Absent: not known, so it is not overdue. */
  readonly valueAtMs?: number | undefined
}

/** What can be wrong with a variable. */
export const declarationProblems = ['missing', 'type', 'malformed', 'exposure', 'overdue', 'undeclared'] as const

/** A way in which a stage contradicts the declarations of its project. */
export interface DeclarationProblem {
  /** Name of the variable. */
  readonly name: string
  /** What is wrong. */
  readonly problem: (typeof declarationProblems)[number]
  /** What is expected, as the end of a sentence after the name. It never quotes a value. */
  readonly expected: string
  /** When an overdue variable should have got another value, Unix time in milliseconds. Absent: it is not overdue. */
  readonly dueAtMs?: number | undefined
  /** Person or group that is responsible for an overdue variable. Absent: no one is named, or it is not overdue. */
  readonly owner?: string | undefined
}

/**
 * Returns what a variable must be and is not, as the end of a sentence after its name, or undefined. Never throws.
 *
 * @example
 * contradictionOf({ name: 'PORT', constraint: { format: 'port' } }, { name: 'PORT' }, ['80a'])?.expected
 * // 'must be a port from 1 to 65535 (format port)'
 */
export function contradictionOf(
  declaration: Declaration,
  variable: DeclaredVariable,
  values: readonly string[],
): DeclarationProblem | undefined {
  const { name, declaredType, constraint } = declaration
  const otherType = problemOfType(declaration, variable)
  if (otherType) return otherType
  if (declaredType && !values.every((value) => isOfDeclaredType(declaredType, value)))
    return { name, problem: 'malformed', expected: `must be ${requirementOf(declaredType)}` }
  if (!constraint) return undefined
  for (const value of values) {
    const broken = brokenConstraint(constraint, value)
    if (broken) return { name, problem: 'malformed', expected: `must ${broken.requirement}` }
  }
  return undefined
}

/**
 * Returns why a declaration cannot hold, or undefined. Never throws.
 *
 * @example
 * problemOfDeclaration({ name: 'PORT', constraint: { format: 'port' }, example: '80a' })
 * // { path: ['example'], message: 'must be a port from 1 to 65535 (format port)' }
 */
export function problemOfDeclaration(declaration: Declaration): Problem | undefined {
  const { name, constraint, example } = declaration
  const problem = constraint && problemOfConstraint(constraint)
  if (problem) return { path: ['constraint', ...problem.path], message: problem.message }
  const contradiction = example === undefined ? undefined : contradictionOf(declaration, { name }, [example])
  return contradiction && { path: ['example'], message: contradiction.expected }
}

/** A variable without a declared type may have values of the declared one. */
function problemOfType({ declaredType }: Declaration, variable: DeclaredVariable): DeclarationProblem | undefined {
  if (!declaredType || !variable.declaredType || variable.declaredType === declaredType) return undefined
  const expected = `must have the declared type ${declaredType}, not ${variable.declaredType}`
  return { name: variable.name, problem: 'type', expected }
}

/**
 * Returns how a stage contradicts the declarations, by name. Values are seen only by `valuesOf`, which returns undefined for those that the
 * caller may not know. Never throws unless that does.
 *
 * @param nowMs Unix time in milliseconds. A variable is overdue only if it and the variable's `valueAtMs` are known.
 * @example
 * problemsOfStage([{ name: 'A', required: 'all' }], { stageSlug: 'prod', isProduction: true }, [])
 * // [{ name: 'A', problem: 'missing', expected: 'is required' }]
 */
export function problemsOfStage<Variable extends DeclaredVariable>(
  declarations: readonly Declaration[],
  stage: RequiringStage,
  variables: readonly Variable[],
  valuesOf: (variable: Variable) => readonly string[] | undefined = () => undefined,
  nowMs?: number,
): DeclarationProblem[] {
  const stored = new Map(variables.map((variable) => [variable.name, variable]))
  const declared = new Set(declarations.map(({ name }) => name))
  const problems = declarations.flatMap((declaration): DeclarationProblem[] => {
    const { name, exposure } = declaration
    const variable = stored.get(name)
    if (!variable)
      return isRequiredIn(declaration, stage) ? [{ name, problem: 'missing', expected: 'is required' }] : []
    const contradiction = contradictionOf(declaration, variable, valuesOf(variable) ?? [])
    const isTooExposed = exposure !== undefined && isMoreExposed(variable.exposure, exposure)
    const overdue = nowMs === undefined ? undefined : overdueProblem(declaration, variable, nowMs)
    return [
      ...(contradiction ? [contradiction] : []),
      ...(isTooExposed
        ? [{ name, problem: 'exposure', expected: `must have at most the exposure ${exposure}` } as const]
        : []),
      ...(overdue ? [overdue] : []),
    ]
  })
  const undeclared = variables
    .filter(({ name }) => !declared.has(name))
    .map(({ name }) => ({ name, problem: 'undeclared', expected: 'is not declared' }) as const)
  return [...problems, ...undeclared].toSorted((a, b) => compareCodePoints(a.name, b.name))
}

function overdueProblem(
  declaration: Declaration,
  { name, valueAtMs }: DeclaredVariable,
  nowMs: number,
): DeclarationProblem | undefined {
  const { rotateEveryDays, owner } = declaration
  const dueAtMs = valueAtMs === undefined ? undefined : rotationDueMs(declaration, valueAtMs)
  if (valueAtMs === undefined || dueAtMs === undefined || nowMs < dueAtMs) return undefined
  const since = new Date(valueAtMs).toISOString().slice(0, 10)
  const often = rotateEveryDays === 1 ? 'every day' : `every ${rotateEveryDays} days`
  const expected = `must get another value ${often}, and has had this one since ${since}`
  return { name, problem: 'overdue', expected, dueAtMs, ...(owner !== undefined && { owner }) }
}

/** A JSON Schema (draft 2020-12) of the variables of a project. */
export interface DeclarationsDocument {
  /** Schema of each variable, by name. Absent: no variable. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined
  /** Names that all stages require. Absent: none. */
  readonly required?: readonly string[] | undefined
  readonly [keyword: string]: unknown
}

const schemaDialect = 'https://json-schema.org/draft/2020-12/schema'
/** The field of a property for what JSON Schema has no keyword for. */
const ownKeyword = 'x-rollkey'
const typeNames: Partial<Record<DeclaredType, string>> = {
  string: 'string',
  boolean: 'boolean',
  int64: 'integer',
  float: 'number',
}
const typesByName = new Map(Object.entries(typeNames).map(([type, name]) => [name, type as DeclaredType]))

/** Returns an example or a value of an enumeration as the schema's type has it. */
function literalOf(type: DeclaredType | undefined, text: string): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  const number = Number(text)
  return (type === 'int64' || type === 'float') && String(number) === text ? number : text
}

function propertyOf(declaration: Declaration): Record<string, unknown> {
  const {
    declaredType,
    description,
    exposure,
    constraint = {},
    required,
    owner,
    rotateEveryDays,
    example,
  } = declaration
  const typeName = declaredType && typeNames[declaredType]
  const own = {
    ...(declaredType && !typeName && { declaredType }),
    ...(exposure && { exposure }),
    ...(required && required !== 'all' && { required }),
    ...(owner !== undefined && { owner }),
    ...(rotateEveryDays !== undefined && { rotateEveryDays }),
  }
  return {
    ...(typeName && { type: typeName }),
    ...(description !== undefined && { description }),
    ...constraint,
    ...(constraint.enum && { enum: constraint.enum.map((value) => literalOf(declaredType, value)) }),
    ...(example !== undefined && { examples: [literalOf(declaredType, example)] }),
    ...(Object.keys(own).length > 0 && { [ownKeyword]: own }),
  }
}

/**
 * Returns the declarations as a JSON Schema document, in the order of names. Never throws.
 *
 * @example
 * documentOfDeclarations([{ name: 'PORT', declaredType: 'int64', required: 'all' }]).required // ['PORT']
 */
export function documentOfDeclarations(declarations: readonly Declaration[]): DeclarationsDocument {
  const sorted = declarations.toSorted((a, b) => compareCodePoints(a.name, b.name))
  return {
    $schema: schemaDialect,
    type: 'object',
    properties: Object.fromEntries(sorted.map((declaration) => [declaration.name, propertyOf(declaration)])),
    required: sorted.filter(({ required }) => required === 'all').map(({ name }) => name),
  }
}

const knownKeywords = new Set<string>([
  'type',
  'description',
  'examples',
  ownKeyword,
  'title',
  '$comment',
  ...constraintParts,
])
const ownFields = new Set(['declaredType', 'exposure', 'required', 'owner', 'rotateEveryDays'])
const documentKeywords = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
])

/** A declaration that is still to be checked. */
export interface ReadDeclaration {
  /** Name of the variable. */
  readonly name: string
  readonly [field: string]: unknown
}

/** The declarations of a document, or what is wrong with it. */
export type ReadDocument =
  | {
      /** The declarations, of which each is still to be checked. */
      readonly declarations: readonly ReadDeclaration[]
    }
  | {
      /** What is wrong, as a sentence without its period. */
      readonly problem: string
    }

/**
 * Reads a JSON Schema document. A keyword that Rollkey does not check is a problem, so that none is relied on in vain. Never throws.
 *
 * @example
 * declarationsOfDocument({ properties: { PORT: { type: 'integer' } } })
 * // { declarations: [{ name: 'PORT', declaredType: 'int64' }] }
 */
export function declarationsOfDocument(document: unknown): ReadDocument {
  const declarations: ReadDeclaration[] = []
  for (const read of readDeclarations(document)) {
    if (typeof read === 'string') return { problem: read }
    declarations.push(read)
  }
  return { declarations }
}

/**
 * Reads the declarations of a JSON Schema document one by one. What is wrong with the document, as a sentence without its period, is the
 * last that it yields. Never throws.
 *
 * @example
 * [...readDeclarations({ properties: { PORT: { type: 'integer' } } })] // [{ name: 'PORT', declaredType: 'int64' }]
 */
export function* readDeclarations(document: unknown): Generator<ReadDeclaration | string, void> {
  if (!isRecord(document)) return yield 'the document must be a JSON Schema: an object with "properties"'
  const { properties = {}, required = [] } = document
  const unknown = Object.keys(document).find((keyword) => !documentKeywords.has(keyword))
  if (unknown !== undefined) return yield `the keyword ${JSON.stringify(unknown)} of the document is not supported`
  if (!isRecord(properties)) return yield '"properties" must be an object with the variables by name'
  if (!Array.isArray(required) || !required.every((name) => typeof name === 'string'))
    return yield '"required" must be a list of names'
  const undeclared = required.find((name: string) => !Object.hasOwn(properties, name))
  if (undeclared !== undefined)
    return yield `"required" names ${JSON.stringify(undeclared)}, which "properties" does not have`
  const inAll = new Set(required)
  for (const name of Object.keys(properties)) {
    const declaration = declarationOfProperty(name, properties[name], inAll.has(name))
    if (typeof declaration === 'string') return yield `the property ${JSON.stringify(name)} ${declaration}`
    yield declaration
  }
}

/** Returns the declaration of a property, or what is wrong with it. */
function declarationOfProperty(name: string, property: unknown, isRequired: boolean): string | ReadDeclaration {
  if (!isRecord(property)) return 'must be an object'
  const own = property[ownKeyword] ?? {}
  if (!isRecord(own)) return `must have an object as "${ownKeyword}"`
  const unknown = unknownKeyOf(property, knownKeywords) ?? unknownKeyOf(own, ownFields)
  if (unknown !== undefined) return `has ${JSON.stringify(unknown)}, which is not supported`
  const { type, description, examples } = property
  const typed = typeof type === 'string' ? typesByName.get(type) : undefined
  if (type !== undefined && !typed) return 'must have as "type" one of string, boolean, integer and number'
  if (examples !== undefined && !Array.isArray(examples)) return 'must have a list as "examples"'
  if (isRequired && own['required'] !== undefined)
    return `is required by the document and by "${ownKeyword}": keep one of them`
  const declaration: Record<string, unknown> = { name }
  if (typed) declaration['declaredType'] = typed
  Object.assign(declaration, own)
  if (description !== undefined) declaration['description'] = description
  const constraint = constraintOfProperty(property)
  if (constraint) declaration['constraint'] = constraint
  if (isRequired) declaration['required'] = 'all'
  const example: unknown = examples?.[0]
  if (example !== undefined) declaration['example'] = textOf(example)
  return declaration as ReadDeclaration
}

function unknownKeyOf(record: Readonly<Record<string, unknown>>, known: ReadonlySet<string>): string | undefined {
  for (const key of Object.keys(record)) if (!known.has(key)) return key
  return undefined
}

/** Returns the parts of a constraint among the keywords of a property; undefined if there are none. */
function constraintOfProperty(property: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  let constraint: Record<string, unknown> | undefined
  for (const part of constraintParts) {
    const bound = property[part]
    if (bound === undefined) continue
    constraint ??= {}
    constraint[part] = part === 'enum' && Array.isArray(bound) ? bound.map(textOf) : bound
  }
  return constraint
}

function textOf(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

/** Names of declarations that differ between two projects, or a project and a file. */
export interface DeclarationsDifference {
  /** Names that only the second has. */
  readonly added: readonly string[]
  /** Names that both have, with other declarations. */
  readonly changed: readonly string[]
  /** Names that only the first has. */
  readonly removed: readonly string[]
}

/**
 * Compares declarations by name. Never throws.
 *
 * @example
 * differenceOfDeclarations([{ name: 'A' }], [{ name: 'B' }]) // { added: ['B'], changed: [], removed: ['A'] }
 */
export function differenceOfDeclarations(
  before: readonly Declaration[],
  after: readonly Declaration[],
): DeclarationsDifference {
  const [from, to] = [before, after].map(
    (list) => new Map(list.map((each) => [each.name, JSON.stringify(plainDeclaration(each))])),
  ) as [Map<string, string>, Map<string, string>]
  return {
    added: sortedNames(to, (name) => !from.has(name)),
    changed: sortedNames(to, (name) => from.has(name) && from.get(name) !== to.get(name)),
    removed: sortedNames(from, (name) => !to.has(name)),
  }
}

function sortedNames(of: ReadonlyMap<string, unknown>, isIn: (name: string) => boolean): string[] {
  return [...of.keys()].filter(isIn).toSorted(compareCodePoints)
}

/**
 * Returns a declaration with its fields in the order in which they are stored, without those that say nothing. Never throws.
 *
 * @example
 * plainDeclaration({ required: [], name: 'A' }) // { name: 'A' }
 */
export function plainDeclaration(declaration: Declaration): Declaration {
  return { name: declaration.name, ...contentOfDeclaration(declaration) }
}

/**
 * Returns the same without the name. Never throws.
 *
 * @example
 * contentOfDeclaration({ required: [], name: 'A' }) // {}
 */
export function contentOfDeclaration(declaration: Declaration): Omit<Declaration, 'name'> {
  const { declaredType, description, exposure, required, owner, rotateEveryDays, example } = declaration
  const content: { -readonly [Field in keyof Declaration]?: Declaration[Field] } = {}
  const constraint = plainConstraint(declaration.constraint)
  if (declaredType) content.declaredType = declaredType
  if (description) content.description = description
  if (exposure) content.exposure = exposure
  if (constraint) content.constraint = constraint
  if (required && required.length > 0)
    content.required = typeof required === 'string' ? required : required.toSorted(compareCodePoints)
  if (owner) content.owner = owner
  if (rotateEveryDays !== undefined) content.rotateEveryDays = rotateEveryDays
  if (example !== undefined) content.example = example
  return content
}

function plainConstraint(constraint: Constraint = {}): Constraint | undefined {
  let plain: Record<string, unknown> | undefined
  for (const part of constraintParts) if (constraint[part] !== undefined) (plain ??= {})[part] = constraint[part]
  return plain
}
