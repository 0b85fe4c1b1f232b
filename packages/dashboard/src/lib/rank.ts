/** Returns the entries that match all words of a query, the best first; equals keep their order. */
export function ranked<T>(entries: readonly T[], query: string, textOf: (entry: T) => string): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .map((entry) => ({ entry, score: scoreOf(textOf(entry).toLowerCase(), words) }))
    .filter(({ score }) => score !== undefined)
    .toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))
    .map(({ entry }) => entry)
}

function scoreOf(text: string, words: readonly string[]): number | undefined {
  const scores = words.map((word) => {
    const at = text.indexOf(word)
    if (at < 0) return undefined
    if (at === 0) return 3
    return /[\s_\-./]/.test(text[at - 1] ?? '') ? 2 : 1
  })
  return scores.includes(undefined) ? undefined : scores.reduce<number>((sum, score) => sum + (score ?? 0), 0)
}

/** Returns the set with the item, or without it if the set had it. */
export function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set)
  if (!next.delete(item)) next.add(item)
  return next
}
