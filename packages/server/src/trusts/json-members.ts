/** Deepest nesting of a token's header and claims. */
const maxDepth = 8

/** A string, or a character that structures JSON. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * Parses a JSON object. Returns undefined for any other text, one that names a member twice, of which parsers take different ones
 * (RFC 8725, section 2.4), or one that is nested too deeply.
 */
export function parseUniqueObject(text: string): Record<string, unknown> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && hasUniqueMembers(text) ? (value as Record<string, unknown>) : undefined
}

/** Checks a text that is JSON. */
function hasUniqueMembers(text: string): boolean {
  const members: Set<string>[] = []
  let last = ''
  for (const [part] of text.matchAll(token)) {
    if (part === '{' || part === '[') {
      if (members.push(new Set()) > maxDepth) return false
    } else if (part === '}' || part === ']') members.pop()
    else if (part === ':') {
      // Escapes can spell one name in several ways.
      const name = JSON.parse(last) as string
      const known = members.at(-1)
      if (known?.has(name)) return false
      known?.add(name)
    } else last = part
  }
  return true
}
