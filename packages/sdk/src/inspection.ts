/** An evaluated variable as users get it. */
import { RollkeyError } from './errors.ts'
import type { Inspection } from './types.ts'
import { valueOf } from './values.ts'
import type { Answer } from './wire.ts'

export type Evaluated = Answer<'evaluateBatch'>['results'][number]

/** An answer and where it is from. */
export interface Lookup {
  readonly evaluated: Evaluated
  readonly source: Inspection['source']
}

/** Parsed anew each time, so that nobody can change what another gets. Throws INVALID_ANSWER. */
export function inspectionOf({ evaluated, source }: Lookup): Inspection {
  const { name, kind, value: text, declaredType, decision } = evaluated
  const type = declaredType ?? 'string'
  const value = valueOf(type, text)
  if (value === undefined) {
    throw new RollkeyError('INVALID_ANSWER', `The value of ${JSON.stringify(name)} is no ${type}.`)
  }
  return { name, kind, value, text, ...(declaredType && { declaredType }), ...(decision && { decision }), source }
}
