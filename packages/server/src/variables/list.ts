/** The list of variables, without their values. */
import type { Described, Listed } from '@rollkey/contract'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'

export function describeVariable({ name, kind, declaredType, attributes }: StoredVariable): Described {
  return { name, kind, ...(declaredType && { declaredType }), ...attributes }
}

/** Returns the variables in wire order. */
export function listVariables({ variables, revision }: Stage): { variables: Listed[]; revision: number } {
  const listed = [...variables.values()].map((variable) => ({
    ...describeVariable(variable),
    createdAtMs: variable.createdAtMs,
    updatedAtMs: variable.updatedAtMs,
  }))
  return { variables: listed, revision }
}
