/** Suggestions for a mistyped name. */
import { editDistance } from '@rollkey/contract/rules'

const maxSuggestions = 3

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
    .map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= far)
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, maxSuggestions)
    .map(({ candidate }) => candidate)
}
