import type { Stage } from '../stages/stages.ts'
import { heldAttributes } from './choose.ts'

/** Returns the stage in which each secret that is being rotated has its old value for everyone; the same stage if there is none. */
export function withHeldRotations(stage: Stage): Stage {
  const rotating = [...stage.variables.values()].filter(({ attributes }) => attributes.rotating)
  if (rotating.length === 0) return stage
  const variables = new Map(stage.variables)
  for (const variable of rotating)
    variables.set(variable.name, variable.withAttributes(heldAttributes(variable.attributes)))
  return { ...stage, variables }
}
