/** The list of variables, without their values. */
import type { DescribedVariable, ListedVariable } from '@rollkey/contract'
import type { Stage } from '../stages/stages.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'

export function describeVariable({ name, kind, declaredType, attributes }: StoredVariable): DescribedVariable {
  return { name, kind, ...(declaredType && { declaredType }), ...attributes }
}

/** Describes a variable in the form of a write, without its values and pins and what makes it a template. */
export function describeEntry(variable: StoredVariable): Omit<DescribedVariable, 'pinned' | 'template' | 'sources'> {
  const { pinned: _, template: __, sources: ___, ...entry } = describeVariable(variable)
  return entry
}

/** Returns the variables in wire order. */
export function listVariables(
  { variables, revision }: Stage,
  lastEvaluatedDays: ReadonlyMap<string, string>,
): { variables: ListedVariable[]; revision: number } {
  const listed = [...variables.values()].map((variable): ListedVariable => {
    const lastEvaluatedDay = lastEvaluatedDays.get(variable.name)
    return {
      ...describeVariable(variable),
      createdAtMs: variable.createdAtMs,
      updatedAtMs: variable.updatedAtMs,
      ...(lastEvaluatedDay !== undefined && { lastEvaluatedDay }),
    }
  })
  return { variables: listed, revision }
}
