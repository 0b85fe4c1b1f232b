/** Line breaks of YAML 1.1 and characters that YAML does not count as printable. JSON leaves them as is. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const beyondJson = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Quotes a text. With these characters escaped, a JSON string is a double-quoted scalar, and so a string, in YAML 1.1 and 1.2. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(beyondJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * Writes a map of strings, one line each, which can represent any name and any value. Quotes everything, since readers
 * disagree about numbers, dates and booleans (`no`, `1_000`, `12:30`), and since plain and block styles lose white space in
 * edge cases.
 */
export function yaml(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${quoted(name)}: ${quoted(value)}\n`)
  return lines.length > 0 ? lines.join('') : '{}\n'
}
