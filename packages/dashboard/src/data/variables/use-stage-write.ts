import type { StageSlugs } from '@rollkey/sdk/core'
import { useScope } from '../../session/scope.ts'
import { toast } from '../../ui/toast.tsx'
import { type Proposed, useProposedToast } from '../proposals/proposed.ts'
import { useRefresh } from '../stages.ts'
import { useUndo } from './undo.ts'
import { propose, save, type Saved, savedBy, type StageWrite } from './write.ts'

interface WriteFailure {
  readonly place: StageSlugs
  readonly error: unknown
}

/** What became of writes. */
export interface Outcome {
  readonly saved: readonly Saved[]
  readonly proposed: readonly Proposed[]
  readonly failures: readonly WriteFailure[]
}

interface WriteOutcome extends Outcome {
  /** Resolves when the page shows the stages as they are. */
  readonly shown: Promise<void>
}

/** Returns the stages whose contents decide a write. */
function placesOf({ place, content }: StageWrite): readonly StageSlugs[] {
  return 'copy' in content ? [place, content.copy.from] : [place]
}

/** Returns how every page writes stages, and how it confirms that. */
export function useStageWrite() {
  const scope = useScope()
  const refresh = useRefresh()
  const undoOf = useUndo()
  const confirmProposed = useProposedToast()
  return {
    /**
     * Saves or proposes in stages one after the other. A failure in one does not stop the others. The page reads the stages again,
     * and `shown` resolves when it shows them. Never throws.
     */
    write: async (...writes: readonly StageWrite[]): Promise<WriteOutcome> => {
      const saved: Saved[] = []
      const proposed: Proposed[] = []
      const failures: WriteFailure[] = []
      for (const each of writes) {
        const { place, reason } = each
        try {
          if (reason === undefined) saved.push(savedBy(place, await save(scope, each)))
          else proposed.push(await propose(scope, each, reason))
        } catch (error) {
          failures.push({ place, error })
        }
      }
      return { saved, proposed, failures, shown: refresh(...writes.flatMap(placesOf)) }
    },
    /**
     * Shows one toast for all that was saved, which `text` describes, and proposed. Its undo takes all of it back. `onUndone`: what
     * else the undo does, and returns a sentence about.
     */
    confirm: (
      { saved, proposed }: Pick<Outcome, 'saved' | 'proposed'>,
      text: string,
      onUndone?: () => Promise<string>,
    ): void =>
      toast.together(() => {
        const reversal = undoOf(saved)
        const { undo } = reversal
        const undoAll = undo && onUndone && { undo: async () => `${await undo()}. ${await onUndone()}` }
        if (saved.length > 0) toast.success(text, { ...reversal, ...undoAll })
        confirmProposed(proposed)
      }),
  }
}

/** Returns the outcome of a write. Throws why it failed once the page shows the stages as they are, since the person may try again. */
export async function succeeded(outcome: WriteOutcome): Promise<WriteOutcome> {
  const [failure] = outcome.failures
  if (!failure) return outcome
  await outcome.shown
  throw failure.error
}
