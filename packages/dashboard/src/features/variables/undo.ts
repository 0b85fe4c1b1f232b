/** Undo of saves, as a new revision. */
import { limits } from '@rollkey/contract/rules'
import { useQueryClient } from '@tanstack/react-query'
import { PageError } from '../../service/errors.ts'
import { ask, type Scope, useScope } from '../../session/scope.ts'
import { Conflict } from '../changes/change-set.ts'
import { useAuthorName } from '../history/queries.ts'
import { projectsQuery } from '../projects/queries.ts'
import { labels } from './labels.ts'
import { isOfStage } from './queries.ts'
import { type Saved, unlessChanged } from './save.ts'

/** Returns whether one request can undo a save. */
function canUndo({ names }: Saved): boolean {
  return names.length > 0 && names.length <= limits.entries
}

/** Undoes a save. Throws a Conflict if someone changed one of the variables since. */
async function undo(scope: Scope, { place, before, revision, names }: Saved): Promise<void> {
  const seen = new Map(names.map((name) => [name, revision]))
  await unlessChanged(scope, place, seen, (ifRevision) => {
    const request = { ...place, ifRevision }
    // Before its first revision the stage did not exist, so there is no revision to go back to.
    return before === 0
      ? ask(scope, 'write', { ...request, mode: 'upsert', entries: [], deletes: [...names] })
      : ask(scope, 'restore', { ...request, revision: before, names: [...names] })
  })
}

interface Undo {
  /** Absent where an undo is not possible. Throws a PageError for the stages that stay as they are. */
  readonly undo?: () => Promise<void>
}

/** Returns the undo of a save for its toast. All stages are undone, except those that someone changed since. */
export function useUndo(): (saved: readonly Saved[]) => Undo {
  const scope = useScope()
  const queryClient = useQueryClient()
  const authorName = useAuthorName()
  const undoUnlessChanged = async (saved: Saved): Promise<readonly string[]> => {
    const { place } = saved
    try {
      await undo(scope, saved)
      return []
    } catch (error) {
      const [newest] = error instanceof Conflict ? error.changes : []
      if (!newest) throw error
      return [labels.notUndone(authorName(newest), newest.name, place.stageSlug)]
    } finally {
      void queryClient.invalidateQueries(projectsQuery(scope))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
    }
  }
  return (saved) => {
    if (saved.length === 0 || !saved.every(canUndo)) return {}
    return {
      undo: async () => {
        const problems: string[] = []
        // Saves are undone in reverse order, so that a stage ends as it was before the first of them.
        for (const each of saved.toReversed()) problems.push(...(await undoUnlessChanged(each)))
        if (problems.length > 0) throw new PageError('REVISION_CONFLICT', problems.join(' '))
      },
    }
  }
}
