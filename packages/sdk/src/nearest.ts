/** Suggestions for a mistyped name. */

const maxSuggestions = 3

/** Counts edits of one character: insert, delete, replace, or swap of two neighbors (optimal string alignment). */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = swaps ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(replaced, at(last, j) + 1, at(row, j - 1) + 1, swapped))
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}

/**
 * Returns the texts of `among` that differ from `word` by at most a third of its letters, closest first, at most 3. Ignores
 * case. An edit inserts, deletes or replaces a letter, or swaps two neighbors. Never throws.
 *
 * @example
 * nearest('API_KYE', ['API_KEY', 'LIMIT']) // ['API_KEY']
 */
export function nearest(word: string, among: readonly string[]): string[] {
  const wanted = word.toLowerCase()
  const far = Math.max(1, Math.floor(wanted.length / 3))
  return among
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= far)
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate)
}
