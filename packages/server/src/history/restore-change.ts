/** Restores variables to an earlier revision, as a new revision. Payloads are stored as they were sealed then. */
import type { Request } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { CannotOpen, type Sealer } from '../crypto/seal.ts'
import type { PastVariableRow } from '../storage/history.ts'
import type { Reader } from '../storage/sql.ts'
import type { StoredVariable } from '../stages/stored-variable.ts'
import { variablesAtRevision } from '../stages/past-variables.ts'
import { packVariable, unpackVariable } from '../stages/payloads.ts'
import { throwNotFound, type Stage } from '../stages/stages.ts'
import { openPlaintext } from '../variables/values.ts'
import { assertRevision, type Change, type Put } from '../variables/changes/change.ts'

export type RestoreRequest = Pick<Request<'restore'>, 'revision' | 'names' | 'ifRevision'>

export class RestoreChange {
  readonly #sql: Reader

  constructor(sql: Reader) {
    this.#sql = sql
  }

  /** Returns the change that restores a revision. The revision must be within the kept history of the stage. */
  change({ revision, names, ifRevision }: RestoreRequest): Change {
    return {
      action: 'restore',
      facts: { restoredRevision: revision },
      decide: async (stage) => {
        if (!stage || revision > stage.revision) {
          throw new ApiError(
            'INVALID_REQUEST',
            `The stage has no revision ${revision} yet: choose ${stage?.revision ?? 0} or an earlier one.`,
          )
        }
        const pastVariables = await variablesAtRevision(this.#sql, stage, revision, names)
        if (typeof pastVariables === 'number')
          throw new ApiError(
            'INVALID_REQUEST',
            `Revision ${revision} is older than the kept history: choose ${pastVariables} or a later one.`,
          )
        const restored = names ?? [...new Set([...pastVariables.keys(), ...stage.variables.keys()])]
        for (const name of restored) if (!pastVariables.has(name) && !stage.variables.has(name)) throwNotFound(name)
        assertRevision(stage, ifRevision)
        return {
          puts: restored.flatMap((name) => putOf(stage, stage.variables.get(name), pastVariables.get(name)) ?? []),
          deletes: restored.filter((name) => !pastVariables.has(name)),
        }
      },
    }
  }
}

/** Returns the put that restores a variable, or undefined if the variable has not changed. */
function putOf({ sealer }: Stage, now: StoredVariable | undefined, past: PastVariableRow | undefined): Put | undefined {
  if (!past || (now && isSame(sealer, now, past))) return undefined
  const { name, kind, declared_type: declaredType, facets: attributes, sealed } = past
  return { name, seal: () => ({ name, kind, declaredType, attributes, sealed }) }
}

function isSame(sealer: Sealer, now: StoredVariable, past: PastVariableRow): boolean {
  return (
    now.kind === past.kind &&
    (now.declaredType ?? null) === past.declared_type &&
    JSON.stringify(now.attributes) === past.facets &&
    (packVariable(now).equals(past.sealed) || haveSameValues(sealer, now, past))
  )
}

/**
 * Compares plaintexts, because an equal value that was written again has other sealed bytes. Templates are the same if their texts are, as
 * their values follow their sources.
 */
function haveSameValues(sealer: Sealer, now: StoredVariable, { name, kind, sealed }: PastVariableRow): boolean {
  try {
    const before = { name, kind, ...unpackVariable(kind, sealed) }
    const [then, present] = [openPlaintext(sealer, before), openPlaintext(sealer, now)]
    return (
      String(then.template) === String(present.template) &&
      (then.template !== undefined ||
        present.values.every((value, role) => value.equals(then.values[role] as Buffer))) &&
      String(then.pins) === String(present.pins)
    )
  } catch (error) {
    if (error instanceof CannotOpen) return false
    throw error
  }
}
