/** Lists of texts that people type: separated by commas and lines, or by lines alone. */

/** What separates the items. A quoted item may contain it. */
export type Separator = 'comma' | 'line'

/** An item of a typed list. */
export interface Item {
  readonly text: string
  /** Whether it was typed as a JSON text in double quotes, which keeps spaces at its ends, commas and line breaks. */
  readonly isQuoted: boolean
}

const quoted = /\s*("(?:[^"\\\n]|\\.)*")[^\S\n]*/y
const patterns = { comma: { plain: /[^,\n]*/y, end: /[,\n]|$/y }, line: { plain: /[^\n]*/y, end: /\n|$/y } }

/** Returns the items of a typed list without empty ones; undefined if a quoted one is not a JSON text. */
export function itemsOf(source: string, separator: Separator): readonly Item[] | undefined {
  const { plain, end } = patterns[separator]
  const items: Item[] = []
  let at = 0
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (!found) return undefined
    at = pattern.lastIndex
    return found[1] ?? found[0]
  }
  while (at < source.length) {
    const json = read(quoted)
    if (json === undefined) {
      const text = read(plain)?.trim() ?? ''
      if (text.startsWith('"')) return undefined
      if (text !== '') items.push({ text, isQuoted: false })
    } else {
      const text = textOf(json)
      if (text === undefined) return undefined
      items.push({ text, isQuoted: true })
    }
    if (read(end) === undefined) return undefined
  }
  return items
}

function textOf(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}

/** Returns a text as an item of a list, in quotes where it would be read as something else. */
export function itemText(text: string, separator: Separator): string {
  const isPlain = text !== '' && text === text.trim() && !text.startsWith('"') && !/[\n\r]/.test(text)
  return isPlain && (separator === 'line' || !text.includes(',')) ? text : JSON.stringify(text)
}

/** Returns texts as a list that `itemsOf` reads. */
export function listText(texts: readonly string[], separator: Separator): string {
  return texts.map((text) => itemText(text, separator)).join(separator === 'line' ? '\n' : ', ')
}
