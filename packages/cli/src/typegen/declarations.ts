/** Generates declarations that narrow the types of the SDK to the variables of one stage. */
import {
  alignByName,
  exposures,
  isKind,
  isMoreExposed,
  kinds,
  type Attributes,
  type Declaration,
  type Labels,
} from '@rollkey/contract/rules'
import type { DeclaredType, Kind } from '@rollkey/sdk'

/** A variable as the manifest describes it. */
export interface DescribedVariable extends Attributes {
  readonly name: string
  readonly kind: Kind
  readonly declaredType?: DeclaredType | undefined
}

/** The type of the SDK for each declared type. */
const typeOf: Record<DeclaredType, string> = {
  string: 'string',
  boolean: 'boolean',
  int64: 'bigint',
  float: 'number',
  date: 'Date',
  json: "import('@rollkey/sdk').Json",
}

/**
 * Characters that a reader of the file does not see, or sees in another order than the compiler (line separators, marks of
 * the writing direction), and characters that end a line for the compiler.
 */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu

function escaped(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, index) => characters.charCodeAt(index))
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Returns a name as a property. Quotes it unless it is an identifier in every version of Unicode. */
function propertyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name).replace(invisible, escaped)
}

/** Returns a text for a comment, without anything that ends the comment or that a reader would not see. */
function commentText(text: string): string {
  return text.replace(invisible, escaped).replaceAll('*/', String.raw`*\/`)
}

function labelsText({ a, b }: Labels): string {
  return commentText(`A is ${JSON.stringify(a)}, B is ${JSON.stringify(b)}`)
}

/**
 * Describes a variable without its description, and without the chance of a roll, which changes while programs stay the same. Writes
 * an attribute only if it is what this version expects: an answer of the service must not inject code.
 */
function summaryOf({ kind, exposure, labels }: DescribedVariable): string {
  // A newer service may have kinds that this version does not know.
  if (!isKind(kind)) return 'Its kind is newer than this version of rollkey.'
  const isExposed = exposures.includes(exposure ?? 'secret') && isMoreExposed(exposure)
  const facts = [
    isExposed && !kinds[kind].isRolled ? 'Not a secret' : kinds[kind].label,
    typeof labels?.a === 'string' && typeof labels.b === 'string' && labelsText(labels),
    isExposed && `the visibility is ${exposure}`,
  ]
  return `${facts.filter((fact) => fact !== false).join('; ')}.`
}

/** Says in which stages a declared variable is there, which its type alone does not show. */
function requiredText({ required }: Declaration): string {
  if (required === 'all') return 'Required in every stage.'
  if (required === 'production') return 'Required in production; elsewhere it may be absent.'
  if (!Array.isArray(required) || required.length === 0) return 'It may be absent.'
  return `Required in ${commentText(required.join(', '))}; elsewhere it may be absent.`
}

/**
 * Returns the TSDoc comment of a variable with its line break. The summary is last, so that no line of a description is a directive.
 * Returns nothing for a secret without a description, which is what most variables are.
 */
function commentOf(variable: DescribedVariable, declared: Declaration | undefined): string {
  const { description } = variable
  const summary = [summaryOf(variable), ...(declared ? [requiredText(declared)] : [])].join(' ')
  if (typeof description !== 'string' || description.trim() === '')
    return summary === `${kinds.secret.label}.` ? '' : `    /** ${summary} */\n`
  const lines = [...description.trim().split(/\r\n|[\r\n]/), '', summary]
  const text = lines.map((line) => `     * ${commentText(line.replaceAll('\t', ' '))}`.trimEnd())
  return ['    /**', ...text, '     */', ''].join('\n')
}

/** Returns the type of a value. A declared type that this version does not know is `unknown`. */
function typeOfValue(declaredType: DeclaredType = 'string'): string {
  return Object.hasOwn(typeOf, declaredType) ? typeOf[declaredType] : 'unknown'
}

/** Returns a value of an enumeration as a literal, or undefined if it is none of its type. */
function literalOf(declaredType: DeclaredType | undefined, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (declaredType === undefined || declaredType === 'string') return JSON.stringify(value).replace(invisible, escaped)
  if (declaredType === 'int64') return /^-?[0-9]{1,19}$/.test(value) ? `${value}n` : undefined
  return declaredType === 'float' && String(Number(value)) === value ? value : undefined
}

/** Returns the type of a variable as its declaration narrows it: values of an enumeration are a union. */
function narrowedType(declaredType: DeclaredType | undefined, values: unknown): string {
  const literals = (Array.isArray(values) ? values : []).map((value) => literalOf(declaredType, value))
  const isUnion = literals.length > 0 && literals.every((literal) => literal !== undefined)
  return isUnion ? literals.join(' | ') : typeOfValue(declaredType)
}

/** A variable without a declaration is there; a declared one may be absent unless all stages require it. */
function memberOf(name: string, variable: DescribedVariable | undefined, declared: Declaration | undefined): string {
  const known: DescribedVariable = variable ?? { name, kind: 'secret' }
  const { declaredType = declared?.declaredType, description = declared?.description } = known
  const type = narrowedType(declaredType, declared?.constraint?.enum)
  const comment = commentOf({ ...known, ...(description !== undefined && { description }) }, declared)
  return `${comment}    ${propertyOf(name)}${declared && declared.required !== 'all' ? '?' : ''}: ${type}\n`
}

/**
 * Returns a declaration file. It depends only on the variables and on what the project declares, not on the time, the revision or the
 * folder.
 */
export function declarationsOf(
  stage: string,
  variables: readonly DescribedVariable[],
  declared: readonly Declaration[] = [],
): string {
  const aligned = alignByName<DescribedVariable | Declaration>([variables, declared])
  const members = aligned.map(({ name, variables: [variable, declaration] }) =>
    memberOf(name, variable as DescribedVariable | undefined, declaration),
  )
  return `// The variables of ${commentText(stage)}, generated by rollkey: do not edit. To update this file, run:
// rollkey typegen -o <this file>
import type {} from '@rollkey/sdk'

// prettier-ignore
declare module '@rollkey/sdk' {
  interface Variables {
${members.join('')}  }
}
`
}
