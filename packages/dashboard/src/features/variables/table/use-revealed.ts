import { useCallback, useState } from 'react'
import type { Digested, WriteEntry } from '@rollkey/contract'
import { useScope } from '../../../session/use-scope.ts'
import type { Target } from '../editor/use-open-variable.ts'
import { reveal } from '../queries.ts'

const shownMs = 30_000

export interface Revealed {
  readonly entry: WriteEntry
  /** The variable whose values these are: another one has others. */
  readonly variable: Digested
}

/** Revealed values by name and stage. */
export type RevealedByName = ReadonlyMap<string, ReadonlyMap<string, Revealed>>

function changed(all: RevealedByName, { name, stageSlug }: Required<Target>, value: Revealed | undefined) {
  const stages = new Map(all.get(name))
  if (value) stages.set(stageSlug, value)
  else stages.delete(stageSlug)
  return new Map(all).set(name, stages)
}

/** Values that a person revealed in the table, for 30 seconds. They are in the state of the component alone. */
export function useRevealed(projectSlug: string) {
  const scope = useScope()
  const [revealed, setRevealed] = useState<RevealedByName>(new Map())
  const fetchValues = useCallback(
    ({ stageSlug, name }: Required<Target>) => reveal(scope, { projectSlug, stageSlug }, name),
    [scope, projectSlug],
  )
  const hide = useCallback((target: Required<Target>) => setRevealed((all) => changed(all, target, undefined)), [])
  const show = useCallback(
    async (target: Required<Target>, variable: Digested) => {
      const value = { entry: await fetchValues(target), variable }
      setRevealed((all) => changed(all, target, value))
      setTimeout(() => {
        // A later reveal has its own time.
        setRevealed((all) =>
          all.get(target.name)?.get(target.stageSlug) === value ? changed(all, target, undefined) : all,
        )
      }, shownMs)
    },
    [fetchValues],
  )
  return { revealed, show, hide, fetchValues }
}
