import { editDistance } from '@rollkey/contract'

/** Minimum similarity of a name to what was typed, from 0 to 1. */
const minSimilarity = 0.5
/** Maximum difference in similarity between a suggestion and the best one. */
const tolerance = 0.05
const maxSuggestions = 3

/** Returns the words of a name in alphabetical order, so that `revoke-signing-keys` is like `signing-keys revoke`. */
function normalized(name: string): string {
  return name.split(/[ -]+/).toSorted().join(' ')
}

function similarity(a: string, b: string): number {
  return 1 - editDistance(normalized(a), normalized(b)) / Math.max(a.length, b.length)
}

/** Rates a name, such as a command's, as a whole or, a little lower, by its last word: `verify` may mean `backup verify`. */
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
