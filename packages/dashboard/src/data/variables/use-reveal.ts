import type { StageSlugs } from '@rollkey/sdk/core'
import { isSame } from '@rollkey/contract/rules'
import type { Digested, RevealedEntry } from '@rollkey/contract'
import { useTimeout } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useScope } from '../../session/scope.ts'
import { reveal } from './queries.ts'

const shownMs = 30_000

/**
 * Returns the values of a variable for a while, or until someone changes it. Only the component's state has them.
 * `variable`: its present state.
 */
export function useReveal(place: StageSlugs, name: string, variable: Digested | undefined) {
  const scope = useScope()
  const [entry, setEntry] = useState<RevealedEntry | undefined>()
  const [known, setKnown] = useState(variable)
  const [wasChanged, setWasChanged] = useState(false)
  const hide = (): void => setEntry(undefined)
  if (variable && known && variable !== known) {
    setKnown(variable)
    if (!isSame(variable, known)) {
      setWasChanged(entry !== undefined)
      setEntry(undefined)
    }
  }
  const { start, clear } = useTimeout(hide, shownMs)
  // A result would stay in the query client's memory, so the mutation has none.
  const request = useMutation({
    mutationFn: async () => setEntry(await reveal(scope, place, name)),
    onSuccess: () => {
      setWasChanged(false)
      clear()
      start()
    },
  })
  return { entry, hide, wasChanged, request }
}
