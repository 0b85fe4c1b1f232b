/** Undo of saves, as a new revision. */
import { limits } from '@rollkey/contract/rules'
import type { Stage, StageSlugs, Written } from '@rollkey/sdk/core'
import { useQueryClient } from '@tanstack/react-query'
import { PageError } from '../../service/errors.ts'
import { type Scope, useScope } from '../../session/scope.ts'
import { Conflict } from '../unsaved-changes/change-set.ts'
import { useAuthorName } from '../history/queries.ts'
import { projectsQuery } from '../projects/queries.ts'
import { writeRuleOf } from '../proposals/write-rule.ts'
import { labels } from './labels.ts'
import { save, type Saved, savedBy } from './write.ts'
import { useRefresh } from '../stages.ts'

/** Returns whether one request can undo a save. */
function canUndo({ names }: Saved): boolean {
  return names.length > 0 && names.length <= limits.entries
}

/** Undoes a save. Throws a Conflict if someone changed one of the variables since. */
function undo(scope: Scope, { place, revision, before, names, isNew }: Saved): Promise<Written> {
  // What was added is deleted, and the audit log calls it that. Before its first revision the stage did not exist.
  const content = isNew || before === 0 ? { deletes: names } : { restore: { revision: before, names } }
  return save(scope, { place, content, seen: revision })
}

/** Both throw a PageError for the stages that stay as they are. */
interface Undo {
  /** Returns a sentence about what is as before. */
  readonly undo: () => Promise<string>
  /** Takes the undo back, as a new revision. */
  readonly redo: () => Promise<void>
}

/** What became of variables in a stage, by the words for it. */
type Outcome = Pick<Written, 'created' | 'updated' | 'deleted'>
const outcomes = ['created', 'updated', 'deleted'] as const

/** Tells what an undo did, such as "API_KEY is back in dev and prod". */
function undoneSentence(undone: readonly { readonly stageName: string; readonly outcome: Outcome }[]): string {
  const sentences = outcomes.flatMap((kind) => {
    const there = undone.filter(({ outcome }) => outcome[kind].length > 0).toReversed()
    const names = [...new Set(there.flatMap(({ outcome }) => outcome[kind]))]
    return names.length === 0
      ? []
      : [
          labels.undone[kind](
            names,
            there.map(({ stageName }) => stageName),
          ),
        ]
  })
  return sentences.join('. ')
}

/** Returns the undo of a save for its toast. All stages are undone, except those that someone changed since. */
export function useUndo(): (
  saved: readonly Saved[],
) => Undo | { readonly undo?: undefined; readonly redo?: undefined } {
  const scope = useScope()
  const queryClient = useQueryClient()
  const refresh = useRefresh()
  const authorName = useAuthorName()
  const stageAt = ({ projectSlug, stageSlug }: StageSlugs): Stage | undefined =>
    queryClient
      .getQueryData(projectsQuery(scope).queryKey)
      ?.find((each) => each.projectSlug === projectSlug)
      ?.stages.find((each) => each.stageSlug === stageSlug)
  const nameOf = (place: StageSlugs): string => stageAt(place)?.name ?? place.stageSlug
  /** A stage that takes proposals only also takes a stop, but not its undo. */
  const isOpen = ({ place }: Saved): boolean => !writeRuleOf(stageAt(place) ?? {}, Date.now()).isProposed
  const undoUnlessChanged = async (
    saved: Saved,
  ): Promise<{ readonly problem: string } | { readonly written: Written }> => {
    const { place } = saved
    try {
      return { written: await undo(scope, saved) }
    } catch (error) {
      const [newest] = error instanceof Conflict ? error.changes : []
      if (!newest) throw error
      return { problem: labels.notUndone(authorName(newest), newest.name, nameOf(place)) }
    } finally {
      await refresh(place)
    }
  }
  return (saved) => {
    if (saved.length === 0 || !saved.every((each) => canUndo(each) && isOpen(each))) return {}
    /** What the latest undo or redo wrote, which the next one takes back. */
    let latest = saved
    const takeBack = async (): Promise<string> => {
      const problems: string[] = []
      const undone: { readonly stageName: string; readonly outcome: Outcome }[] = []
      const written: Saved[] = []
      // Saves are undone in reverse order, so that a stage ends as it was before the first of them.
      for (const each of latest.toReversed()) {
        const result = await undoUnlessChanged(each)
        if ('problem' in result) problems.push(result.problem)
        else {
          undone.push({ stageName: nameOf(each.place), outcome: result.written })
          written.push(savedBy(each.place, result.written))
        }
      }
      if (problems.length > 0) throw new PageError('REVISION_CONFLICT', problems.join(' '))
      latest = written
      return undoneSentence(undone)
    }
    return { undo: takeBack, redo: async () => void (await takeBack()) }
  }
}
