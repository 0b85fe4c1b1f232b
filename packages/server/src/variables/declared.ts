import type { Attributes } from '@rollkey/contract'
import type { DeclaredWrite } from '../declarations/declarations.ts'
import type { Sealer } from '../crypto/seal.ts'
import { unpackVariable } from '../stages/payloads.ts'
import type { VariableState } from '../storage/variables.ts'
import type { Effect } from './changes/change.ts'
import { undefinedIfCannotOpen } from './opening.ts'
import { openValues } from './values.ts'

/** Returns what declarations are about of an effect and its sealed states. */
export function declaredWriteOf(
  { stageSlug }: { readonly stageSlug: string },
  { projectId, stageId, sealer }: { readonly projectId: string; readonly stageId: string; readonly sealer: Sealer },
  { puts, deletes }: Effect,
  states: readonly VariableState[],
): DeclaredWrite {
  const keeping = new Set(puts.filter(({ keepsValues }) => keepsValues).map(({ name }) => name))
  const written = states
    .filter(({ name }) => !keeping.has(name))
    .map(({ name, kind, declaredType, attributes, sealed }) => ({
      name,
      declaredType: declaredType ?? undefined,
      open: () =>
        undefinedIfCannotOpen(() => {
          const values = openValues(sealer, { name, kind, ...unpackVariable(kind, sealed) }).map(String)
          // What a rotation replaces may be why it is rotated.
          return (JSON.parse(attributes) as Attributes).rotating ? values.slice(0, 1) : values
        }),
    }))
  return { projectId, stageId, stageSlug, written, deletes }
}
