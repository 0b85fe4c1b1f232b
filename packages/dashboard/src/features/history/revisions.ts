/** The changes of a stage, grouped by revision and described. */
import type { Digested } from '@rollkey/contract'
import type { HistoryChange, VariableState } from '@rollkey/sdk/core'
import { changeLabels } from './labels.ts'
import { limits, restoreEffects, type ValueRole } from '@rollkey/contract/rules'
import { differences, digestsOf, factsOf } from '../../data/variables/comparison.ts'
import { capitalized } from '../../data/variables/labels.ts'

export interface DescribedChange {
  readonly change: HistoryChange
  /** Description, such as "Value changed, chance 10% → 25%". */
  readonly words: string
}

export interface Revision extends Pick<
  HistoryChange,
  'revision' | 'writtenAtMs' | 'writtenBy' | 'client' | 'changeId' | 'reason' | 'proposedBy' | 'proposedWith'
> {
  readonly changes: readonly DescribedChange[]
}

/** Groups changes by revision. `changes`: the newest first. */
export function revisionsOf(changes: readonly HistoryChange[]): readonly Revision[] {
  const byRevision = Map.groupBy(described(changes), ({ change }) => change.revision)
  return [...byRevision.values()].flatMap((group) => (group[0] ? [{ ...group[0].change, changes: group }] : []))
}

/** Describes changes from the oldest on, so that each one knows the earlier values of its variable. */
function described(changes: readonly HistoryChange[]): readonly DescribedChange[] {
  const earlier = new Map<string, string>()
  return changes
    .toReversed()
    .map((change) => {
      const { name, revision, before, kind, digests } = change
      const key = (role: ValueRole, digest: string): string => JSON.stringify([name, role, digest])
      const words = capitalized(wordsOf(change, (role, digest) => earlier.get(key(role, digest))))
      for (const { role, digest } of before ? digestsOf(before) : []) {
        if (!earlier.has(key(role, digest))) earlier.set(key(role, digest), changeLabels.valueBefore(revision))
      }
      for (const { role, digest } of kind && digests ? digestsOf({ kind, digests }) : []) {
        earlier.set(key(role, digest), changeLabels.valueAt(revision))
      }
      return { change, words }
    })
    .toReversed()
}

/** Describes a change. `earlierOf`: names the earlier revision with the same value. */
function wordsOf(change: HistoryChange, earlierOf: (role: ValueRole, digest: string) => string | undefined): string {
  const { kind, digests, before } = change
  if (!kind || !digests) return changeLabels.deleted
  const after = { ...change, kind, digests }
  if (change.change === 'created') return changeLabels.created(factsOf(after))
  if (!before) return change.change === 'restored' ? changeLabels.restored : changeLabels.unknown
  const found = differences(before, after, (role, digest) => earlierOf(role, digest) ?? changeLabels.changed)
  const words = found.length > 0 ? found.join(', ') : changeLabels.unchanged
  return change.change === 'restored' ? changeLabels.restoredTo(words) : words
}

/** What a restore to a revision, and the undo of it alone, would change. */
export interface Outcome {
  readonly restores: boolean
  readonly undoes: boolean
}

/**
 * Returns what can be done about revisions, by their numbers. `present`: the variables now; `changes`: all from the newest on, the newest
 * first.
 */
export function outcomesOf(
  present: readonly Digested[],
  changes: readonly HistoryChange[],
): ReadonlyMap<number, Outcome> {
  const now = new Map(present.map((variable) => [variable.name, variable]))
  /** What differs from the state before the changes so far. */
  const differing = new Set<string>()
  const outcomes = new Map<number, Outcome>()
  for (const [revision, group] of Map.groupBy(changes, (change) => change.revision)) {
    const restores = differing.size > 0
    let undoes = false
    for (const change of group) {
      const variable = now.get(change.name)
      const [found] = restoreEffects<VariableState>(variable ? [variable] : [], [change])
      if (found) differing.add(change.name)
      else differing.delete(change.name)
      undoes ||= found !== undefined && found.effect !== 'unknown' && found.effect !== 'unreadable'
    }
    // Nothing is before the first one.
    outcomes.set(revision, { restores, undoes: undoes && revision > 1 })
  }
  return outcomes
}

interface RevisionFilter {
  readonly person: string | undefined
  readonly change: HistoryChange['change'] | undefined
}

/** Returns the revisions that a person proposed or wrote, with a kind of change; undefined: of anyone, or any kind. */
export function filtered(revisions: readonly Revision[], { person, change }: RevisionFilter): readonly Revision[] {
  return revisions.filter(
    ({ writtenBy, proposedBy, changes }) =>
      (person === undefined || writtenBy === person || proposedBy === person) &&
      (change === undefined || changes.some((each) => each.change.change === change)),
  )
}

/** Maximum number of changes that a preview reads, because no one would check the effects of more. */
export const maxChanges = 10_000

/**
 * Returns every change after a revision, the newest first; undefined if they are too many. `pageBefore`: reads the latest
 * changes before a revision or, without one, of all, up to the service's limit.
 */
export async function changesSince(
  revision: number,
  pageBefore: (before: number | undefined) => Promise<readonly HistoryChange[]>,
): Promise<readonly HistoryChange[] | undefined> {
  const changes: HistoryChange[] = []
  let before: number | undefined
  while (changes.length <= maxChanges) {
    const page = await pageBefore(before)
    changes.push(...page.filter((change) => change.revision > revision))
    before = page.at(-1)?.revision
    if (page.length < limits.historyChanges || before === undefined || before <= revision + 1) return changes
  }
  return undefined
}
