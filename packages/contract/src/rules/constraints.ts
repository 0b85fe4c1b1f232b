/** What the values of a variable may be (docs/declarations.md). Each check takes linear time. */
import { maxMatchedCharacters, matchesPattern, problemOfPattern } from './pattern.ts'
import type { Problem } from './targeting.ts'

/** Texts that a format describes, which each are the end of an error. */
const formats = {
  uri: { requirement: 'a URI with its scheme, such as https://example.com', isMet: isUri },
  email: { requirement: 'an email address', isMet: isEmail },
  port: { requirement: 'a port from 1 to 65535', isMet: isPort },
  hostname: { requirement: 'a host name without scheme and port', isMet: isHostname },
  uuid: { requirement: 'a UUID', isMet: (text) => uuidText.test(text) },
  pem: { requirement: 'PEM: blocks from BEGIN to END with base64 between', isMet: isPem },
  base64: { requirement: 'base64 with its padding', isMet: isBase64 },
} satisfies Record<string, { readonly requirement: string; readonly isMet: (text: string) => boolean }>

/** A form of texts. */
export type ConstraintFormat = keyof typeof formats

/** All formats. */
export const constraintFormats = Object.keys(formats) as [ConstraintFormat, ...ConstraintFormat[]]

/** What a value must be. All parts that are stated hold together; for a roll, of both values. */
export interface Constraint {
  /** Regular expression that a part of the value matches. Absent: any text. */
  readonly pattern?: string | undefined
  /** Minimum length, in characters. Absent: 0. */
  readonly minLength?: number | undefined
  /** Maximum length, in characters. Absent: that of every value. */
  readonly maxLength?: number | undefined
  /** Least number. Absent: none. */
  readonly minimum?: number | undefined
  /** Greatest number. Absent: none. */
  readonly maximum?: number | undefined
  /** The only values. Absent: all. */
  readonly enum?: readonly string[] | undefined
  /** Form of the text. Absent: any. */
  readonly format?: ConstraintFormat | undefined
}

/** The part of a constraint that a value contradicts. */
export interface BrokenConstraint {
  /** Name of the part. */
  readonly part: keyof Constraint
  /** What the value must do, as the end of a sentence after "must". It quotes the constraint and never the value. */
  readonly requirement: string
}

const uuidText = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/
const labelText = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const numberText = /^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$/

/** RFC 3986, appendix A, without the grammar behind the scheme: no spaces, quotes, brackets of markup and controls. */
function isUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- matches control characters
  return /^[A-Za-z][A-Za-z0-9+.-]{0,63}:[^\u0000- "<>\\^`{|}\u007f]+$/.test(text)
}

/** The addresses that mail servers accept in practice: a dot-atom (RFC 5322, section 3.2.3) at a host name. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  return (
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/.test(local) &&
    local.split('.').every((atom) => atom.length > 0) &&
    isHostname(text.slice(at + 1))
  )
}

function isPort(text: string): boolean {
  return /^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65_535
}

/** RFC 1123, section 2.1. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => labelText.test(label))
}

/** RFC 4648, section 4. */
function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

/** RFC 7468, section 3, with the headers of RFC 1421 that encrypted keys have. */
function isPem(text: string): boolean {
  let begun: string | undefined
  let body = ''
  let blocks = 0
  for (const line of text.trim().split(/\r?\n/)) {
    const [, edge, label] = /^-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----$/.exec(line.trimEnd()) ?? []
    if (begun === undefined && edge === 'BEGIN') [begun, body] = [label, '']
    else if (begun === undefined) return false
    else if (edge === undefined) body += /^[A-Za-z][A-Za-z-]*: /.test(line) ? '' : line.trim()
    else if (edge === 'BEGIN' || label !== begun || !isBase64(body)) return false
    else [begun, blocks] = [undefined, blocks + 1]
  }
  return begun === undefined && blocks > 0
}

function charactersOf(text: string): number {
  let characters = 0
  for (const _ of text) characters++
  return characters
}

/** Returns a number, or NaN for a text that is none. */
function numberOf(text: string): number {
  return text.length <= 100 && numberText.test(text) ? Number(text) : NaN
}

/** How many of the values of an `enum` an error names. */
const namedValues = 5

function listOf(values: readonly string[]): string {
  const named = values.slice(0, namedValues).map((value) => JSON.stringify(value))
  return named.join(', ') + (values.length > namedValues ? ` or ${values.length - namedValues} others` : '')
}

/** A check of one part. Methods, so that the table can be read by a name that is known only when it is read. */
interface Check<Bound> {
  isMet(text: string, bound: Bound): boolean
  requirement(bound: Bound, text: string): string
}

type Checks = { readonly [Part in keyof Constraint]-?: Check<NonNullable<Constraint[Part]>> }

/** The checks of all parts, the quick ones first. */
const checks: Checks = {
  enum: { isMet: (text, values) => values.includes(text), requirement: (values) => `be one of ${listOf(values)}` },
  minLength: {
    isMet: (text, length) => charactersOf(text) >= length,
    requirement: (length) => `have at least ${length} characters (minLength)`,
  },
  maxLength: {
    isMet: (text, length) => charactersOf(text) <= length,
    requirement: (length) => `have at most ${length} characters (maxLength)`,
  },
  minimum: {
    isMet: (text, bound) => numberOf(text) >= bound,
    requirement: (bound) => `be a number of at least ${bound} (minimum)`,
  },
  maximum: {
    isMet: (text, bound) => numberOf(text) <= bound,
    requirement: (bound) => `be a number of at most ${bound} (maximum)`,
  },
  format: {
    isMet: (text, format) => formats[format].isMet(text),
    requirement: (format) => `be ${formats[format].requirement} (format ${format})`,
  },
  pattern: {
    isMet: (text, pattern) => matchesPattern(pattern, text),
    requirement: (pattern, text) =>
      charactersOf(text) > maxMatchedCharacters
        ? `have at most ${maxMatchedCharacters} characters, as every value with a pattern`
        : `match the pattern ${pattern}`,
  },
}

/** All parts of a constraint, in the order in which they are checked. */
export const constraintParts = Object.keys(checks) as readonly (keyof Constraint)[]

/**
 * Returns the first part of a constraint that a value contradicts, or undefined. The time is linear in the length of the value.
 * Never throws for a constraint without a problem.
 *
 * @example
 * brokenConstraint({ format: 'port' }, '80a')?.requirement // 'be a port from 1 to 65535 (format port)'
 */
export function brokenConstraint(constraint: Constraint, value: string): BrokenConstraint | undefined {
  for (const part of constraintParts) {
    const bound = constraint[part]
    const check: Check<typeof bound> = checks[part]
    if (bound !== undefined && !check.isMet(value, bound)) return { part, requirement: check.requirement(bound, value) }
  }
  return undefined
}

/**
 * Returns what values must be, each as the end of a sentence after "must". Never throws for a constraint without a problem.
 *
 * @example
 * requirementsOf({ minLength: 8 }) // ['have at least 8 characters (minLength)']
 */
export function requirementsOf(constraint: Constraint): string[] {
  return constraintParts.flatMap((part) => {
    const bound = constraint[part]
    const check: Check<typeof bound> = checks[part]
    return bound === undefined ? [] : [check.requirement(bound, '')]
  })
}

/**
 * Returns why a constraint cannot hold, or undefined. Never throws.
 *
 * @example
 * problemOfConstraint({ minLength: 3, maxLength: 2 }) // { path: ['maxLength'], message: 'must be at least minLength' }
 */
export function problemOfConstraint(constraint: Constraint): Problem | undefined {
  const { pattern, minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity } = constraint
  if (constraintParts.every((part) => constraint[part] === undefined))
    return { path: [], message: 'must state at least one of its parts' }
  if (maxLength < minLength) return { path: ['maxLength'], message: 'must be at least minLength' }
  if (maximum < minimum) return { path: ['maximum'], message: 'must be at least minimum' }
  const problem = pattern === undefined ? undefined : problemOfPattern(pattern)
  return problem === undefined ? undefined : { path: ['pattern'], message: problem }
}
