/** The contents of a .env file, read as the npm package dotenv reads it; what that would pass over or cut short is refused. */

/** An assignment, over several lines if its value is quoted: the name and the value as it stands. */
const assignment =
  /^[^\S\n]*(?:export\s+)?([\w.-]+)(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\n]+)?[^\S\n]*(?:#.*)?$/gm

/** What kept a text from being read; the message is a sentence for the person, without any value. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText'
}

/** Values by their names. Throws UnreadableText. */
export function parseDotenv(source: string): ReadonlyMap<string, string> {
  const text = source.replace(/\r\n?/g, '\n')
  const values = new Map<string, string>()
  let end = 0
  for (const { 0: found, 1: name = '', 2: raw = '', index } of text.matchAll(assignment)) {
    expectNothing(text, end, index)
    end = index + found.length
    const value = valueOf(raw.trim())
    if (value === undefined)
      throw unreadable(text, index, `the value of ${name} begins with a quote that does not end it`)
    if (values.has(name)) throw unreadable(text, index, `${name} is there a second time`)
    values.set(name, value)
  }
  expectNothing(text, end, text.length)
  return values
}

/** Between quotes nothing is an escape but \n and \r, and those between double quotes only. */
function valueOf(raw: string): string | undefined {
  const quote = raw[0]
  if (quote === undefined || !['"', "'", '`'].includes(quote)) return raw
  if (raw.length < 2 || !raw.endsWith(quote)) return undefined
  const inner = raw.slice(1, -1)
  return quote === '"' ? inner.replaceAll('\\n', '\n').replaceAll('\\r', '\r') : inner
}

/** Nothing but comments and white space. */
function expectNothing(text: string, start: number, end: number): void {
  const offset = text.slice(start, end).search(/^[^\S\n]*[^\s#]/m)
  if (offset >= 0) throw unreadable(text, start + offset, 'this is no NAME=value')
}

function unreadable(text: string, index: number, what: string): UnreadableText {
  return new UnreadableText(`Line ${text.slice(0, index).split('\n').length}: ${what}. Correct it, then go on.`)
}
