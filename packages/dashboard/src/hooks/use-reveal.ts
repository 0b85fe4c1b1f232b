import type { WriteEntry } from '@rollkey/contract'
import { useTimeout } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { reveal, type Place } from '../variables/stage.ts'
import { useScope } from './use-scope.ts'

const shownMs = 30_000

/** The values of a variable for a while. They are in the state of the component alone, and go with it. */
export function useReveal(place: Place, name: string) {
  const scope = useScope()
  const [entry, setEntry] = useState<WriteEntry | undefined>()
  const hide = (): void => setEntry(undefined)
  const { start, clear } = useTimeout(hide, shownMs)
  // Its result would stay in the memory of all requests, so it has none.
  const request = useMutation({
    mutationFn: async () => setEntry(await reveal(scope, place, name)),
    onSuccess: () => {
      clear()
      start()
    },
  })
  return { entry, hide, request }
}
