import { unreadable, type Entry, type Reader } from './entry.ts'

/** Tokens of JSON: strings, separators, and everything else (numbers, true, false, null). */
const token = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g

/** Parses JSON. Throws INVALID_IMPORT. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message of the engine quotes text that may be a secret, so only the position is used.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1]
    const line = text.slice(0, Number(position)).split('\n').length
    throw unreadable(file, position === undefined ? '' : `, line ${line}`, 'Expected valid JSON')
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a member of an object is a text that is not empty. */
export function hasText(value: unknown, member: string): boolean {
  return isObject(value) && typeof value[member] === 'string' && value[member] !== ''
}

/**
 * Returns the members of an object that JSON.parse has accepted, in their order and with repeated names, which JSON.parse
 * drops. A value is its JSON text without white space, so a number of any length keeps its digits.
 */
export function membersOf(text: string): Entry[] {
  const members: Entry[] = []
  let tokens: string[] = []
  let depth = 0
  const finish = (): void => {
    const [name, , ...value] = tokens
    if (name !== undefined) members.push({ name: JSON.parse(name) as string, value: value.join('') })
    tokens = []
  }
  for (const each of text.match(token)?.slice(1, -1) ?? []) {
    if (each === '{' || each === '[') depth++
    if (each === '}' || each === ']') depth--
    if (each === ',' && depth === 0) finish()
    else tokens.push(each)
  }
  finish()
  return members
}

/** Returns entries. A string becomes its text, everything else its JSON text. */
export function entriesOf(members: readonly Entry[], file: string): Entry[] {
  return members.map(({ name, value }) => {
    if (value === 'null')
      throw unreadable(file, `, key ${name}`, 'null is not a value; use a string, or remove the key')
    return { name, value: value.startsWith('"') ? (JSON.parse(value) as string) : value }
  })
}

/** Reads one object of names and values: strings, numbers, booleans, or any JSON as its text. */
export const json: Reader = (text, file) => {
  if (!isObject(parseJson(text, file))) {
    throw unreadable(
      file,
      '',
      'Expected one JSON object of names and values; for an export of another tool, use --from',
    )
  }
  return entriesOf(membersOf(text), file)
}
