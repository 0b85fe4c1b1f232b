/** Turns an evaluated variable into the object that users get. */
import { parseDeclared } from '@rollkey/contract/rules'
import { RollkeyError } from './errors.ts'
import type { Inspection } from './types.ts'
import type { EvaluatedVariable } from './wire.ts'

/** An evaluated variable and its source. */
export interface Lookup {
  readonly evaluated: EvaluatedVariable
  readonly source: Inspection['source']
}

/** Parses the value again for each caller, so that no caller can change what another one gets. Throws INVALID_ANSWER. */
export function inspectionOf({ evaluated, source }: Lookup): Inspection {
  const { name, kind, value: text, declaredType, decision, label, step, rule, chance, rotating } = evaluated
  const type = declaredType ?? 'string'
  const value = parseDeclared(type, text)
  if (value === undefined) {
    throw new RollkeyError(
      'INVALID_ANSWER',
      `The value of ${JSON.stringify(name)} cannot be parsed as ${type}, its declared type.`,
    )
  }
  return {
    name,
    kind,
    value,
    text,
    ...(declaredType && { declaredType }),
    ...(decision && { decision }),
    ...(label !== undefined && { label }),
    ...(step && { step }),
    ...(rule !== undefined && { rule }),
    ...(chance !== undefined && { chance }),
    ...(rotating && { rotating }),
    source,
  }
}
