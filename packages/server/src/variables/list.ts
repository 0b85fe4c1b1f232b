/** The list of variables, without their values. */
import type { Described, Listed } from '@rollkey/contract'
import type { ReadSet } from '../consistency/read-set.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import type { StageRef, Stages } from '../stages/stages.ts'

export function describe({ name, kind, declaredType, attributes }: StoredVariable): Described {
  return { name, kind, ...(declaredType && { declaredType }), ...attributes }
}

/** Returns the variables in wire order. A stage that does not exist is empty and at revision 0. */
export async function list(
  stages: Stages,
  address: StageRef,
  reads: ReadSet,
): Promise<{ variables: Listed[]; revision: number }> {
  const stage = await stages.find(address, reads)
  const variables = [...(stage?.variables.values() ?? [])].map((variable) => ({
    ...describe(variable),
    createdAtMs: variable.createdAtMs,
    updatedAtMs: variable.updatedAtMs,
  }))
  return { variables, revision: stage?.revision ?? 0 }
}
