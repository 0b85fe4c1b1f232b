import type { DeclaredType, Kind } from '@rollkey/contract'
import { insertOf, insertRows } from './insert.ts'
import type { Tx, Value } from './sql.ts'

export interface VariableState {
  readonly name: string
  readonly kind: Kind
  readonly declaredType: DeclaredType | null
  /** Attributes as JSON text, which may be shown without the value, such as a roll's chance. */
  readonly attributes: string
  readonly sealed: Uint8Array
}

export interface WriteContext {
  readonly stageId: string
  /** The revision that the write makes. */
  readonly revision: number
  readonly by: string
  /** Display name of the client that writes. */
  readonly client: string
  readonly nowMs: number
}

/** The kind of write that produced a variable's state. */
export type Origin = 'created' | 'updated' | 'restored'

/** A change of one variable: what it becomes, or its deletion. */
export type VariableChange = { readonly at: WriteContext } & (
  | {
      readonly origin: Origin
      readonly state: VariableState
      /** Whether its value stays what it was. @default false */
      readonly keepsValue?: boolean
    }
  | { readonly origin: 'deleted'; readonly name: string }
)

/**
 * Writes changes of a stage, of one revision or several, in their order: inserts, replaces or deletes the variables, and adds each change to
 * the history. The time of a variable's creation stays. The caller knows that variables to delete exist.
 */
export async function writeVariables(tx: Tx, changes: readonly VariableChange[]): Promise<void> {
  const { deleted, put } = outcomeOf(changes)
  await Promise.all([
    ...deleted.map(({ at, name }) =>
      tx.all(`delete from variables where stage_id = $1 and name = $2 and ${tx.guard ?? 'true'}`, at.stageId, name),
    ),
    ...insertRows(tx, variablesInsert, put.map(variableRowOf)),
    ...insertRows(tx, historyInsert, changes.map(historyRowOf)),
  ])
}

type Put = Extract<VariableChange, { readonly state: VariableState }>
type Deletion = Exclude<VariableChange, Put>
type LastPut = Put & {
  readonly createdAtMs: number
  /** When it got its value; null: before these changes. */
  readonly valueAtMs: number | null
}

/** Returns what the changes do together: the variables to delete first, and the last state of each that exists afterwards. */
function outcomeOf(changes: readonly VariableChange[]): {
  readonly deleted: readonly Deletion[]
  readonly put: readonly LastPut[]
} {
  const deleted = new Map<string, Deletion>()
  const put = new Map<string, LastPut>()
  for (const change of changes) {
    if (change.origin === 'deleted') {
      deleted.set(change.name, change)
      put.delete(change.name)
    } else {
      const { name } = change.state
      const { createdAtMs = change.at.nowMs, valueAtMs = null } = put.get(name) ?? {}
      put.set(name, { ...change, createdAtMs, valueAtMs: change.keepsValue ? valueAtMs : change.at.nowMs })
    }
  }
  return { deleted: [...deleted.values()], put: [...put.values()] }
}

const variablesInsert = insertOf(
  'variables',
  [
    'stage_id',
    'name',
    'kind',
    'declared_type',
    'facets',
    'sealed',
    'created_at_ms',
    'value_at_ms',
    'updated_at_ms',
    'updated_by',
  ],
  `on conflict (stage_id, name) do update set kind = excluded.kind, declared_type = excluded.declared_type,
     facets = excluded.facets, sealed = excluded.sealed,
     value_at_ms = coalesce(excluded.value_at_ms, variables.value_at_ms, variables.updated_at_ms),
     updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by`,
)

function variableRowOf({ at, state, createdAtMs, valueAtMs }: LastPut): Value[] {
  const { name, kind, declaredType, attributes, sealed } = state
  return [at.stageId, name, kind, declaredType, attributes, sealed, createdAtMs, valueAtMs, at.nowMs, at.by]
}

const historyInsert = insertOf('variable_history', [
  'stage_id',
  'name',
  'revision',
  'kind',
  'declared_type',
  'facets',
  'sealed',
  'written_at_ms',
  'written_by',
  'change',
  'client',
])

function historyRowOf(change: VariableChange): Value[] {
  const { at, origin } = change
  const [name, state] = origin === 'deleted' ? [change.name, undefined] : [change.state.name, change.state]
  const { kind = null, declaredType = null, attributes = null, sealed = null } = state ?? {}
  return [at.stageId, name, at.revision, kind, declaredType, attributes, sealed, at.nowMs, at.by, origin, at.client]
}
