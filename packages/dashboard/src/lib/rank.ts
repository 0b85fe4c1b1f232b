/** Returns the entries that match all words of a query, the best first; equals keep their order. */
export function ranked<T>(entries: readonly T[], query: string, textOf: (entry: T) => string): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return entries
    .map((entry) => ({ entry, score: scoreOf(textOf(entry).toLowerCase(), words) }))
    .filter(({ score }) => score !== undefined)
    .toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))
    .map(({ entry }) => entry)
}

/**
 * Returns the entries that match all words of a query, some of them only but for a wrong, missing, additional or swapped letter. Shorter
 * words than five letters match as they are. Those that begin with a word are first, and equals keep their order.
 */
export function nearlyRanked<T>(entries: readonly T[], query: string, textOf: (entry: T) => string): readonly T[] {
  const words = wordsOf(query)
  if (!words.some((word) => word.length >= minMistyped)) return []
  const scores = entries.map((entry) => ({ entry, score: nearScoreOf(textOf(entry).toLowerCase(), words) }))
  return scores
    .filter(({ score }) => score !== undefined)
    .toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))
    .map(({ entry }) => entry)
}

/** Returns how many words the text begins with, nearly; undefined: it lacks one. */
function nearScoreOf(text: string, words: readonly string[]): number | undefined {
  const own = wordsOf(text)
  const [first = ''] = own
  const hasAll = words.every((word) => text.includes(word) || own.some((each) => isNearly(word, each)))
  return hasAll ? words.filter((word) => text.startsWith(word) || isNearly(word, first)).length : undefined
}

/** Minimum length of a word in which a wrong letter is likely. */
const minMistyped = 5

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter(Boolean)
}

/** Returns parts of the longest word, one of which has no mistake if the word has only one. */
export function partsWithoutMistake(text: string): readonly string[] {
  const word = wordsOf(text).reduce((longest, each) => (each.length > longest.length ? each : longest), '')
  if (word.length < minMistyped) return []
  // Swapped letters at the middle are in the same part, because the middle letter is in none.
  const middle = Math.floor(word.length / 2)
  return [word.slice(0, middle), word.slice(middle + 1)]
}

/** Returns whether a text begins with the word but for one letter. */
function isNearly(word: string, text: string): boolean {
  if (word.length < minMistyped) return false
  let at = 0
  while (at < word.length && word[at] === text[at]) at++
  const isRest = (from: number, of: number): boolean => text.startsWith(word.slice(from), of)
  const isSwapped = word[at] === text[at + 1] && word[at + 1] === text[at]
  return isRest(at + 1, at + 1) || isRest(at, at + 1) || isRest(at + 1, at) || (isSwapped && isRest(at + 2, at + 2))
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
