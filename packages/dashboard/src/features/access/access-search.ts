/** The parameters in the addresses of the pages about access. */
import { type Verb, verbs } from '@rollkey/contract/rules'

export interface AccessSearch {
  readonly search?: string
  /** Opens the form that grants a role with this verb. */
  readonly grant?: Verb
  /** Id of the person in that form. */
  readonly person?: string
  /** Slug of the stage in that form. */
  readonly stage?: string
}

/** Returns the known parameters of the address of the access page. */
export function accessSearch({ search, grant, person, stage }: Record<string, unknown>): AccessSearch {
  const verb = verbs.find((each) => each === grant)
  return {
    ...(typeof search === 'string' && search !== '' && { search }),
    ...(verb && { grant: verb }),
    ...(verb && typeof person === 'string' && { person }),
    ...(verb && typeof stage === 'string' && { stage }),
  }
}

export interface HoldersSearch {
  readonly stage?: string
  readonly verb?: Verb
  /** Local time, such as 2026-11-22T14:30. Absent: now. */
  readonly at?: string
}

/** Returns the known parameters of the address of the page about earlier access. */
export function holdersSearch({ stage, verb, at }: Record<string, unknown>): HoldersSearch {
  const known = verbs.find((each) => each === verb)
  return {
    ...(typeof stage === 'string' && { stage }),
    ...(known && { verb: known }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at }),
  }
}
