/** What someone may do, by the verbs that the service reports. */
import type { Place, Verb } from '@rollkey/contract/rules'
import type { Answer } from '@rollkey/sdk/core'

/** The verbs of the organization first, then those of the places where they differ from what is around. */
export type VerbsByPlace = Answer<'whoami'>['verbs']

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
