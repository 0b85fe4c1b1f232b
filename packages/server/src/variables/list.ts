/** Variables without their values. */
import type { Described, Listed } from '@rollkey/contract'
import type { Claims } from '../base/claims.ts'
import type { StoredVariable } from './kinds/kind.ts'
import type { StageAddress, Stages } from './stages.ts'

export function describe({ name, kind, declaredType, facets }: StoredVariable): Described {
  return { name, kind, ...(declaredType && { declaredType }), ...facets }
}

/** In the order of the wire; a stage that does not exist is empty and at revision 0. */
export async function list(
  stages: Stages,
  address: StageAddress,
  claims: Claims,
): Promise<{ variables: Listed[]; revision: number }> {
  const stage = await stages.find(address, claims)
  const variables = [...(stage?.variables.values() ?? [])].map((variable) => ({
    ...describe(variable),
    createdAtMs: variable.createdAtMs,
    updatedAtMs: variable.updatedAtMs,
  }))
  return { variables, revision: stage?.revision ?? 0 }
}
