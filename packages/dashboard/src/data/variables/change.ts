import type { Digested } from '@rollkey/contract'
import type { Answer } from '@rollkey/sdk/core'

/** What a revision did to a variable. */
export type Change = Answer<'history'>['changes'][number]

/** A variable without its name. */
export type State = Omit<Digested, 'name'>
