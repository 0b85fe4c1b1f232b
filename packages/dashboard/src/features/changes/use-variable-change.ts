import type { Digested, WriteEntry } from '@rollkey/contract'
import { changeAt } from './change-set.ts'
import type { Place } from '../variables/queries.ts'
import { useChanges } from './changes-context.ts'
import { useSave } from '../variables/use-save.ts'

interface Variable {
  readonly place: Place
  /** Undefined: it has none yet. */
  readonly name: string | undefined
  /** As it is at the revision of the stage; undefined: it is made new. */
  readonly before: Digested | undefined
  readonly revision: number
}

/** Saves the change of a variable, or collects it for a save of many. `onDone`: told after either. */
export function useVariableChange({ place, name, before, revision }: Variable, onDone: () => void) {
  const { pending, add, remove } = useChanges()
  const { stageSlug } = place
  const collected = changeAt(pending, stageSlug, name)
  const save = useSave(place, revision, () => {
    if (collected) remove([collected])
    onDone()
  })
  return {
    ...save,
    collected,
    /** Undefined: the variable is to be deleted. */
    add: (entry: WriteEntry | undefined): void => {
      add([{ stageSlug, name: entry?.name ?? name ?? '', before, entry, seen: save.seen }])
      onDone()
    },
  }
}

export type VariableChange = ReturnType<typeof useVariableChange>
