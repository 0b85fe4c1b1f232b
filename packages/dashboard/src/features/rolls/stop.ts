/** Ends a roll at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask, type Scope } from '../../session/scope.ts'
import { useScope } from '../../session/use-scope.ts'
import { toast } from '../../ui/toast.ts'
import { isOfStage, type Place } from '../variables/queries.ts'
import type { Saved } from '../variables/save.ts'
import { useUndo } from '../variables/undo.ts'
import { labels } from './labels.ts'

/** A roll that can be stopped. */
export interface Stoppable {
  readonly place: Place
  readonly stageName: string
  readonly isProduction: boolean
  readonly name: string
  readonly chance: number
}

/** Lets everyone get B from now on, even if someone else changes the stage at the same time. */
async function stopRoll(scope: Scope, place: Place, name: string): Promise<Saved> {
  const { revision } = await ask(scope, 'chance', { ...place, name, chance: 0 })
  return { place, before: revision - 1, revision, names: [name] }
}

/** Returns the mutation that stops a roll and confirms that with an undo. */
export function useStop({ place, stageName, name }: Stoppable, onStopped: () => void) {
  const scope = useScope()
  const queryClient = useQueryClient()
  const undoOf = useUndo()
  return useMutation({
    mutationFn: async () => stopRoll(scope, place, name),
    onSuccess: async (saved) => {
      onStopped()
      toast.success(labels.stopped(name, stageName), undoOf([saved]))
      await queryClient.invalidateQueries({ predicate: isOfStage(scope, place) })
    },
  })
}
