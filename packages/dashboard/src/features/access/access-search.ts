/** The parameters in the addresses of the pages about access. */
import { type Verb, verbs } from '@rollkey/contract/rules'

export interface AccessSearch {
  readonly search?: string
}

/** Returns the known parameters of the address of the access page. */
export function accessSearch({ search }: Record<string, unknown>): AccessSearch {
  return typeof search === 'string' && search !== '' ? { search } : {}
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
