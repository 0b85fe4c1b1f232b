/** Minimum similarity of a command to what was typed, from 0 to 1. */
const minSimilarity = 0.5
/** How much less similar than the best one another suggestion may be. */
const tolerance = 0.05
const maxSuggestions = 3

/** Returns the number of characters to insert, delete or replace to turn one text into the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Returns the words of a name in alphabetical order, so that `revoke-signing-keys` is like `signing-keys revoke`. */
function normalized(name: string): string {
  return name.split(/[ -]+/).toSorted().join(' ')
}

function similarity(a: string, b: string): number {
  return 1 - distance(normalized(a), normalized(b)) / Math.max(a.length, b.length)
}

/** Rates a command by its whole name or, a little lower, by its last word: `verify` may mean `backup verify`. */
function rateOf(typed: string, name: string): number {
  return Math.max(similarity(typed, name), 0.9 * similarity(typed, name.split(' ').at(-1) ?? ''))
}

/** Returns the names that are most similar to what was typed, the best first. */
export function closest(typed: readonly string[], names: readonly string[]): string[] {
  const rated = names.map((name) => ({ name, rate: Math.max(...typed.map((text) => rateOf(text, name))) }))
  const best = Math.max(minSimilarity, ...rated.map(({ rate }) => rate - tolerance))
  return rated
    .filter(({ rate }) => rate >= best)
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, maxSuggestions)
    .map(({ name }) => name)
}
