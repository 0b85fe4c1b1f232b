/** Two stages side by side, and what copying from the first to the second would do. */
import { alignByName, isSame, limits, opens } from '@rollkey/contract/rules'
import type { Digested } from '@rollkey/contract'

/** Groups in the order of the page: what copying would add, change and leave. */
export const groups = ['missing', 'different', 'extra', 'same'] as const
export type Group = (typeof groups)[number]

export interface Compared {
  readonly name: string
  readonly from: Digested | undefined
  readonly to: Digested | undefined
}

function groupOf({ from, to }: Compared): Group {
  if (!to) return 'missing'
  if (!from) return 'extra'
  return isSame(from, to) ? 'same' : 'different'
}

/** Returns the variables of two stages by group, each by name. */
export function compared(from: readonly Digested[], to: readonly Digested[]): ReadonlyMap<Group, readonly Compared[]> {
  const pairs = alignByName([from, to]).map(({ name, variables }) => ({ name, from: variables[0], to: variables[1] }))
  return Map.groupBy(pairs, groupOf)
}

/** Groups that a copy changes. */
export const copiedGroups: readonly Group[] = ['missing', 'different']

/**
 * Returns what a copy begins with: what the second stage lacks, or what differs of the names. `isProposed`: whether an open change has a
 * name, which is then left out.
 */
export function usualNames(
  byGroup: ReadonlyMap<Group, readonly Compared[]>,
  copied: 'missing' | readonly string[],
  isProposed: (name: string) => boolean,
): ReadonlySet<string> {
  const asked = copied === 'missing' ? undefined : new Set(copied)
  const names = (asked ? copiedGroups : (['missing'] as const))
    .flatMap((group) => byGroup.get(group) ?? [])
    .filter(({ name, from }) => from && opens(from) && (asked?.has(name) ?? true) && !isProposed(name))
    .map(({ name }) => name)
  // As many as one copy can have; another one continues with the rest.
  return new Set(names.slice(0, limits.entries))
}

/**
 * Returns the name after the last of `copied` that a copy would change, or else the first one, without what an open change proposes.
 * Undefined: none is left.
 */
export function nextToCopy(
  byGroup: ReadonlyMap<Group, readonly Compared[]>,
  copied: ReadonlySet<string>,
  isProposed: (name: string) => boolean,
): string | undefined {
  const names = copiedGroups.flatMap((group) => (byGroup.get(group) ?? []).map(({ name }) => name))
  const last = names.findLastIndex((name) => copied.has(name))
  const left = (name: string): boolean => !copied.has(name) && !isProposed(name)
  return names.slice(last + 1).find(left) ?? names.find(left)
}

/** Slugs of the compared stages. Absent: the first two of the project. */
interface CompareSearch {
  readonly from?: string
  readonly to?: string
}

export function compareSearch({ from, to }: Readonly<Record<string, unknown>>): CompareSearch {
  return { ...(typeof from === 'string' && { from }), ...(typeof to === 'string' && { to }) }
}
