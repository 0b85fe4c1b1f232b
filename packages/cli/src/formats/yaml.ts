/** Line breaks of YAML 1.1 and what YAML does not count as printable; JSON leaves them as they are. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const beyondJson = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A JSON string is a double-quoted scalar of YAML 1.1 and 1.2 alike once these are escaped too: never anything but a string. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(beyondJson, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/**
 * A map of strings, a line each; it carries any name and any value. Quotes everywhere, since readers differ in what they take
 * for a number, a date or a boolean without them (`no`, `1_000`, `12:30`), and the plain and block styles have edges where
 * writers and readers lose white space.
 */
export function yaml(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, value]) => `${quoted(name)}: ${quoted(value)}\n`)
  return lines.length > 0 ? lines.join('') : '{}\n'
}
