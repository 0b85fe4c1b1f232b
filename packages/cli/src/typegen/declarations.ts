/** The declarations that narrow the SDK to the variables of one stage. */
import type { DeclaredType } from '@rollkey/sdk'

/** A variable as the manifest describes it. */
export interface DescribedVariable {
  readonly name: string
  readonly kind: 'secret' | 'ab_roll'
  readonly declaredType?: DeclaredType | undefined
  readonly chance?: number | undefined
}

/** What the SDK gives for a value of each declared type. */
const typeOf: Record<DeclaredType, string> = {
  string: 'string',
  boolean: 'boolean',
  int64: 'bigint',
  float: 'number',
  date: 'Date',
  json: "import('@rollkey/sdk').Json",
}

/**
 * What a reader of the file would not see, or see in another order than the compiler (line separators, marks of the
 * writing direction), and what the compiler ends a line at.
 */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu

function escaped(characters: string): string {
  const units = Array.from({ length: characters.length }, (_, index) => characters.charCodeAt(index))
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Quoted unless it is an identifier in every version of Unicode. */
function propertyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name).replace(unseen, escaped)
}

/** What may stand in a comment: nothing that ends it, and nothing that a reader would not see. */
function commentText(text: string): string {
  return text.replace(unseen, escaped).replaceAll('*/', String.raw`*\/`)
}

/** The answer of a service is not to be trusted with the text of a program: what is not a number is not written. */
function commentOf({ kind, chance }: DescribedVariable): string {
  if (kind !== 'ab_roll') return 'Secret.'
  return typeof chance === 'number' ? `A/B roll; the chance of A is ${chance}.` : 'A/B roll.'
}

/** A type that this version does not know is `unknown`. */
function typeOfValue(declaredType: DeclaredType = 'string'): string {
  return Object.hasOwn(typeOf, declaredType) ? typeOf[declaredType] : 'unknown'
}

function memberOf(variable: DescribedVariable): string {
  const type = typeOfValue(variable.declaredType)
  return `    /** ${commentOf(variable)} */\n    ${propertyOf(variable.name)}: ${type}\n`
}

/** The text of a declaration file; the same for the same variables, whatever the time, the revision and the folder. */
export function declarationsOf(stage: string, variables: readonly DescribedVariable[]): string {
  return `// The variables of ${commentText(stage)}, written by rollkey: do not edit. To bring them up to date:
// rollkey typegen -o <this file>
export {}

// prettier-ignore
declare module '@rollkey/sdk' {
  interface Variables {
${variables.map(memberOf).join('')}  }
}
`
}
