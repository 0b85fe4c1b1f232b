/** Values that a person reveals in a table, for a while. */
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { isSame } from '@rollkey/contract/rules'
import { useCallback, useState } from 'react'
import { useScope } from '../../session/scope.ts'
import type { Target } from './editor/variable-drawer.tsx'
import { reveal } from '../../data/variables/queries.ts'

const shownMs = 30_000

export interface Revealed {
  readonly entry: RevealedEntry
  /** When it is hidden again. */
  readonly untilMs: number
  /** The revealed variable. A later version has other values. */
  readonly variable: Digested
}

/** Returns the revealed values, unless the variable has changed since. */
export function freshOf(revealed: Revealed | undefined, variable: Digested | undefined): RevealedEntry | undefined {
  return revealed && variable && isSame(revealed.variable, variable) ? revealed.entry : undefined
}

/** Revealed values by name and stage. */
export type RevealedByName = ReadonlyMap<string, ReadonlyMap<string, Revealed>>

function changed(all: RevealedByName, { name, stageSlug }: Required<Target>, value: Revealed | undefined) {
  const stages = new Map(all.get(name))
  if (value) stages.set(stageSlug, value)
  else stages.delete(stageSlug)
  return new Map(all).set(name, stages)
}

/** Returns the values that a person revealed in the table, for 30 seconds. Only the component's state has them. */
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
      const value = { entry: await fetchValues(target), variable, untilMs: Date.now() + shownMs }
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
