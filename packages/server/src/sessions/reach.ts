/** How far a service token goes within its organization. */
import { Fault } from '../base/fault.ts'

export interface Reach {
  /** The only project; undefined: all. */
  readonly projectSlug: string | undefined
  /** The only stage of that project; undefined: all. */
  readonly stageSlug: string | undefined
  readonly readOnly: boolean
  /** Whether it reads the history and restores. */
  readonly history: boolean
}

/** What a request names; nothing: the organization as such. */
export interface Place {
  readonly projectSlug?: string | undefined
  readonly stageSlug?: string | undefined
}

export function reaches(reach: Reach, { projectSlug, stageSlug }: Place): boolean {
  return (
    (projectSlug === undefined || reach.projectSlug === undefined || projectSlug === reach.projectSlug) &&
    (stageSlug === undefined || reach.stageSlug === undefined || stageSlug === reach.stageSlug)
  )
}

/** What an endpoint does, beyond reading what is there now. */
export interface Deed {
  readonly changes?: true
  readonly history?: true
}

/** Throws FORBIDDEN. */
export function assertReaches(reach: Reach, place: Place, { changes, history }: Deed): void {
  if (!reaches(reach, place) || (changes && isWider(reach, place)))
    throw new Fault('FORBIDDEN', `The service token reaches only ${textOf(reach)}.`)
  if (changes && reach.readOnly) throw new Fault('FORBIDDEN', 'The service token is read-only.')
  if (history && !reach.history) {
    throw new Fault(
      'FORBIDDEN',
      'The service token does not allow the history and restores (expected one created with history): create another token with "history": true.',
    )
  }
}

/** A whole project is more than a stage of it. */
function isWider({ stageSlug }: Reach, place: Place): boolean {
  return stageSlug !== undefined && place.projectSlug !== undefined && place.stageSlug === undefined
}

/** For what is of the organization as such. Throws FORBIDDEN for a token that reaches only a part of it. */
export function assertReachesAll(reach: Reach): void {
  if (reach.projectSlug === undefined) return
  throw new Fault('FORBIDDEN', `The service token reaches only ${textOf(reach)}, not the whole organization.`)
}

function textOf({ projectSlug, stageSlug }: Reach): string {
  return stageSlug === undefined ? `the project ${projectSlug}` : `the stage ${stageSlug} of the project ${projectSlug}`
}
