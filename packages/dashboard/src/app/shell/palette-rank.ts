/** In which order the palette lists what matches a query. */
import { ranked } from '../../lib/rank.ts'
import { labels } from '../labels.ts'
import type { Item } from './palette-places.ts'

/**
 * Returns the items that match all words of a query in three parts, the best of each first: those that match by their label, those that
 * also need their context, and those that need other names. What the query names as a kind, such as "roll", is in the first part.
 */
export function matching(items: readonly Item[], query: string): readonly (readonly Item[])[] {
  const typed = query.trim().toLowerCase()
  const all = ranked(items, query, textOf)
  const seen = new Set(ranked(items, query, seenTextOf))
  const labeled = ranked(items, query, ({ label }) => label)
  const named = new Set([...labeled, ...all.filter((item) => isOfKind(item, typed))])
  return [
    [...named].toSorted((one, other) => placeOf(one, typed) - placeOf(other, typed)),
    [...seen].filter((item) => !named.has(item)),
    all.filter((item) => !seen.has(item) && !named.has(item)),
  ]
}

/** The text in which a query is found. */
export function textOf(item: Item): string {
  return `${seenTextOf(item)} ${item.otherNames ?? ''}`
}

function seenTextOf({ label, context = '' }: Item): string {
  return `${label} ${context}`
}

/** Returns the place of an item among those that match by their label: by the whole of it, as the page of a kind, by its start, as one of the kind. */
function placeOf(item: Item, typed: string): number {
  const label = item.label.toLowerCase()
  if (label === typed) return 0
  if (item.group === labels.commands.pages && label.split(' ').some((word) => [typed, `${typed}s`].includes(word)))
    return 1
  if (label.startsWith(typed)) return 2
  return isOfKind(item, typed) ? 3 : 4
}

/** Returns whether the query is the start of the kind that the group of the item names. */
function isOfKind({ group }: Item, typed: string): boolean {
  return group.toLowerCase().startsWith(typed)
}
