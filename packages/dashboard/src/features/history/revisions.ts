/** The changes of a stage, told by revision. */
import { limits, type ValueRole } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'
import { differences, digestsOf, factsOf } from '../variables/comparison.ts'
import { capitalized } from '../variables/labels.ts'

export interface ToldChange {
  readonly change: Change
  /** Such as "Value changed, chance 10 % → 25 %". */
  readonly words: string
}

export interface Revision extends Pick<Change, 'revision' | 'writtenAtMs' | 'writtenBy' | 'client'> {
  readonly changes: readonly ToldChange[]
}

/** `changes`: the newest first, as they come. */
export function revisionsOf(changes: readonly Change[]): readonly Revision[] {
  const byRevision = Map.groupBy(told(changes), ({ change }) => change.revision)
  return [...byRevision.values()].flatMap((group) => (group[0] ? [{ ...group[0].change, changes: group }] : []))
}

/** Told from the oldest on, so that it is known which values a variable had before. */
function told(changes: readonly Change[]): readonly ToldChange[] {
  const places = new Map<string, string>()
  return changes
    .toReversed()
    .map((change) => {
      const { name, revision, before, kind, digests } = change
      const key = (role: ValueRole, digest: string): string => JSON.stringify([name, role, digest])
      const words = capitalized(wordsOf(change, (role, digest) => places.get(key(role, digest))))
      for (const { role, digest } of before ? digestsOf(before) : []) {
        if (!places.has(key(role, digest))) places.set(key(role, digest), `before revision ${revision}`)
      }
      for (const { role, digest } of kind && digests ? digestsOf({ kind, digests }) : []) {
        places.set(key(role, digest), `at revision ${revision}`)
      }
      return { change, words }
    })
    .toReversed()
}

/** `placeOf`: where the variable had the same value before, such as "at revision 3". */
function wordsOf(change: Change, placeOf: (role: ValueRole, digest: string) => string | undefined): string {
  const { kind, digests, before } = change
  if (!kind || !digests) return 'deleted'
  const after = { ...change, kind, digests }
  if (change.change === 'created') return `created: ${factsOf(after).join(', ')}`
  if (!before) return change.change === 'restored' ? 'restored' : 'changed; what it was is no longer kept'
  const found = differences(before, after, (role, digest) => {
    const place = placeOf(role, digest)
    return place === undefined ? 'changed' : `set back to what it was ${place}`
  })
  const words = found.length > 0 ? found.join(', ') : 'saved again as it was'
  return change.change === 'restored' ? `restored: ${words}` : words
}

interface RevisionFilter {
  readonly person: string | undefined
  readonly change: Change['change'] | undefined
}

/** Returns the revisions by a person that did something to a variable; undefined: by anyone, or anything. */
export function filtered(revisions: readonly Revision[], { person, change }: RevisionFilter): readonly Revision[] {
  return revisions.filter(
    ({ writtenBy, changes }) =>
      (person === undefined || writtenBy === person) &&
      (change === undefined || changes.some((each) => each.change.change === change)),
  )
}

/** So many changes are read; beyond that nobody would look at what going back over them does. */
export const mostChanges = 10_000

/**
 * Every change after a revision, the newest first; undefined if they are too many. `pageBefore`: the latest changes before a
 * revision or, without one, of all, as many at once as the service gives.
 */
export async function changesSince(
  revision: number,
  pageBefore: (before: number | undefined) => Promise<readonly Change[]>,
): Promise<readonly Change[] | undefined> {
  const changes: Change[] = []
  let before: number | undefined
  while (changes.length <= mostChanges) {
    const page = await pageBefore(before)
    changes.push(...page.filter((change) => change.revision > revision))
    before = page.at(-1)?.revision
    if (page.length < limits.historyChanges || before === undefined || before <= revision + 1) return changes
  }
  return undefined
}
