/** What the viewer may do, by the verbs that the service reports. The service decides again with each request. */
import type { Place, Verb } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useScope, whoamiQuery } from './scope.ts'

/** The verbs of the organization first, then those of the places where they differ from what is around. */
type VerbsByPlace = Answer<'whoami'>['verbs']

/** Whether the viewer may do something at a place: a stage, a project or, without one, the organization. */
export type May = (verb: Verb, place?: Place) => boolean

function keyOf({ projectSlug = '', stageSlug = '' }: Place): string {
  return `${projectSlug}/${stageSlug}`
}

/** Returns what verbs by place allow. A place that is not named has the verbs of what is around it. */
export function mayBy(verbsByPlace: VerbsByPlace): May {
  const known = new Map(verbsByPlace.map(({ verbs, ...place }) => [keyOf(place), verbs]))
  return (verb, { projectSlug, stageSlug } = {}) => {
    const verbs = known.get(keyOf({ projectSlug, stageSlug })) ?? known.get(keyOf({ projectSlug })) ?? known.get('/')
    return verbs?.includes(verb) === true
  }
}

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
