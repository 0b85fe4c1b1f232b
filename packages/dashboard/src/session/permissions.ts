/** What the viewer may do, by the verbs that the service reports. The service decides again with each request. */
import type { Verb } from '@rollkey/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type May, mayBy, type VerbsByPlace } from '../lib/may.ts'
import { useScope, whoamiQuery } from './scope.ts'

const nothing: VerbsByPlace = []

function useVerbsByPlace(): VerbsByPlace {
  const { data } = useQuery(whoamiQuery(useScope()))
  return data?.verbs ?? nothing
}

/** Returns what the viewer may do; nothing until it is known. */
export function useMay(): May {
  const verbsByPlace = useVerbsByPlace()
  return useMemo(() => mayBy(verbsByPlace), [verbsByPlace])
}

/** Returns whether the viewer has a verb in the organization or at any place within it; false until it is known. */
export function useMayAnywhere(verb: Verb): boolean {
  return useVerbsByPlace().some(({ verbs }) => verbs.includes(verb))
}
