import type { Digested, Response } from '@rollkey/contract'

/** What a revision did to a variable. */
export type Change = Response<'history'>['changes'][number]

/** A variable of a known name. */
export type State = Omit<Digested, 'name'>
