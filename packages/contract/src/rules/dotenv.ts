/**
 * The grammar of .env files, as the npm package dotenv reads them. Text that it would skip or cut short is an error, and what it changes
 * in a value is a notice.
 */

/** An assignment of a .env file. A later one of the same name replaces it. */
export interface DotenvAssignment {
  /** Name: letters, digits, `.`, `-` and `_`. */
  readonly name: string
  /** Value, without quotes and with escapes resolved. */
  readonly value: string
  /** Line of the name, from 1. */
  readonly line: number
  /** What was left out or may be a mistake: sentences without a period and without any value, which name the variable. */
  readonly notices: readonly string[]
}

/** The error for a text that is not a .env file. Its message is a sentence without a period and without any value. */
export class DotenvError extends Error {
  /** Name of the error class. */
  override readonly name = 'DotenvError'
  /** Line of the error, from 1. */
  readonly line: number

  /**
   * Creates an error at a line, counted from 1. Never throws.
   *
   * @example
   * new DotenvError(2, 'Expected NAME=value')
   */
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** Matches an assignment, over several lines if its value is quoted: its name, what separates it, its raw value, and a comment. */
const assignment =
  /^[^\S\n]*(?:export\s+)?([\w.-]+)([^\S\n]*=[^\S\n]*|:[^\S\n]+)('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(#.*)?$/gm

/**
 * Returns all assignments in their order, also those of a repeated name.
 *
 * @throws {DotenvError} if there is anything but assignments, comments and white space.
 * @example
 * parseDotenv('A=1') // [{ name: 'A', value: '1', line: 1, notices: [] }]
 */
export function parseDotenv(source: string): DotenvAssignment[] {
  const text = source.replace(/\r\n?/g, '\n')
  const nul = text.indexOf('\0')
  if (nul >= 0)
    throw new DotenvError(
      lineAt(text, nul),
      'Expected text without the character NUL. If the file is UTF-16, write it as UTF-8',
    )
  const breaks = source.match(/\r\n?|\n/g) ?? []
  const assignments: DotenvAssignment[] = []
  let end = 0
  for (const match of text.matchAll(assignment)) {
    const { 0: found, 1: name = '', 2: separator = '', 3: raw = '', 4: comment, index } = match
    expectOnlyComments(text, end, index)
    end = index + found.length
    const line = lineAt(text, index + found.indexOf(name))
    if (comment !== undefined) expectSeparated(name, found.slice(0, -comment.length), line)
    const value = valueOf(name, raw.trim(), line)
    const inner = breaks.slice(line - 1, line - 1 + raw.trim().split('\n').length - 1)
    const notices = [
      ...(comment === undefined && isTrimmed(separator, raw)
        ? [`The white space around the value of ${name} was left out. Quote the value to keep it`]
        : []),
      ...(inner.some((each) => each !== '\n')
        ? [
            `The carriage returns in the value of ${name} were left out. Write them as \\r between double quotes to keep them`,
          ]
        : []),
      ...(hidesAssignment(raw)
        ? [
            `The value of ${name} has ${inner.length + 1} lines, and one looks like another assignment. Check where its quote is closed`,
          ]
        : []),
    ]
    assignments.push({ name, value, line, notices })
  }
  expectOnlyComments(text, end, text.length)
  return assignments
}

/** Throws if the text before a comment does not end with white space: other readers take such a comment for a part of the value. */
function expectSeparated(name: string, before: string, line: number): void {
  if (/\s$/.test(before)) return
  throw new DotenvError(
    line,
    `The value of ${name} would end at a # without a space before it. Quote the value, or put a space before the comment`,
  )
}

/** Returns whether an unquoted value loses white space that is not the usual one around a separator. */
function isTrimmed(separator: string, raw: string): boolean {
  if (/^['"`]/.test(raw)) return false
  const isOneSided = /^=\s+$/.test(separator)
  return raw === '' ? isOneSided : isOneSided || raw !== raw.trimEnd()
}

/** Returns whether a quoted value over several lines contains what looks like an assignment. A line of Base64 can only end with =. */
function hidesAssignment(raw: string): boolean {
  return raw.includes('\n') && /\n\s*(?:export\s+)?[A-Za-z_]\w*=(?![=\n])./.test(raw)
}

/** Returns the value. Nothing is an escape except \n and \r, and only between double quotes. */
function valueOf(name: string, raw: string, line: number): string {
  const quote = raw[0] ?? ''
  const isQuoted = /['"`]/.test(quote)
  // Without a closing quote, a value would end with its line, and the next lines would be lost or become names.
  if (isQuoted && (raw.length < 2 || !raw.endsWith(quote))) {
    const message = `The value of ${name} begins with a quote that is not closed. Close it, or quote the value differently`
    throw new DotenvError(line, message)
  }
  // With `m`, a line separator (U+2028) within the value counts as the end of a line, as it does for the package.
  const value = raw.replace(/^(['"`])([^]*)\1$/gm, '$2')
  return quote === '"' ? value.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : value
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Throws unless there are only comments and white space. */
function expectOnlyComments(text: string, start: number, end: number): void {
  const offset = text.slice(start, end).search(/^[^\S\n]*[^\s#]/m)
  if (offset >= 0)
    throw new DotenvError(
      lineAt(text, start + offset),
      'Expected NAME=value, with a name of ASCII letters, digits, _, . or -',
    )
}

/** Values that need no quotes: no shell or other reader of such files gives these characters a meaning. */
const safeUnquoted = /^[A-Za-z0-9_.:/@+-]*$/

/** Values that a reader returns unchanged without quotes: no white space at the ends, comment, line break or leading quote. */
const plainLine = /^(?![\s'"`])[^#\n\r\u2028\u2029]*(?<!\s)$/

/**
 * Quotes a value so that `parseDotenv` reads it back, or returns undefined if that is impossible. A quoted value cannot
 * contain its own quote character, and a backslash before the closing quote would hide that quote. A carriage return must be
 * written as \r, since readers turn a real one into a line feed. Never throws.
 *
 * @example
 * quoteForDotenv('two words') // "'two words'"
 */
export function quoteForDotenv(value: string): string | undefined {
  if (safeUnquoted.test(value)) return value
  if (!value.endsWith('\\')) {
    if (!value.includes('\r')) {
      if (!value.includes("'")) return `'${value}'`
      // Shells, Python and Node all read double quotes. Only the npm package and Node read backticks.
      if (!/["\\$`]/.test(value)) return `"${value}"`
      if (!value.includes('`')) return `\`${value}\``
    }
    if (!value.includes('"') && !/\\[nr]/.test(value)) return `"${value.replaceAll('\r', '\\r')}"`
  }
  return plainLine.test(value) ? value : undefined
}
