/** Creates, updates and deletes the variables that a write request states (docs/api.md, "Variables"). */
import {
  attributesOf,
  isOfDeclaredType,
  requirementOf,
  valuesOf,
  type DeclaredType,
  type Pins,
  type Request,
  type WriteEntry,
} from '@rollkey/contract'
import { ApiError } from '../../base/api-error.ts'
import type { Sealer } from '../../crypto/seal.ts'
import type { VariableState } from '../../storage/variables.ts'
import type { StoredVariable } from '../../stages/stored-variable.ts'
import type { Stage } from '../../stages/stages.ts'
import { pinsOf, pinsText } from '../pins.ts'
import { statedTemplate } from '../templates.ts'
import { undefinedIfCannotOpen } from '../opening.ts'
import { sealValues } from '../values.ts'
import { assertRevision, type Change } from './change.ts'

export type EntriesRequest = Pick<Request<'write'>, 'mode' | 'entries' | 'deletes' | 'ifRevision'>

export function changeOfEntries(request: EntriesRequest): Change {
  return {
    action: 'write',
    decide(stage) {
      assertWritable(stage, request)
      const puts = request.entries.map((entry) => {
        const stored = stage?.variables.get(entry.name)
        return { name: entry.name, seal: (sealer: Sealer) => stateOf(sealer, entry, stored) }
      })
      return { puts, deletes: request.deletes.filter((name) => stage?.variables.has(name)) }
    },
  }
}

/** Runs the checks that need the stage. Throws ApiError. */
function assertWritable(stage: Stage | undefined, { mode, entries, ifRevision }: EntriesRequest): void {
  assertRevision(stage, ifRevision)
  for (const entry of entries) {
    const stored = stage?.variables.get(entry.name)
    assertOfType(entry, typeAfter(entry, stored))
    if (mode === 'create_only' && stored) {
      throw new ApiError(
        'INVALID_REQUEST',
        `${JSON.stringify(entry.name)} already exists, and mode is create_only: use mode upsert, or another name.`,
      )
    }
  }
}

/** The error names the variable, and never its value. The result of a template is checked once it is known. */
function assertOfType(entry: WriteEntry, type: DeclaredType | undefined): void {
  if (!type || entry.template || valuesOf(entry).every((value) => isOfDeclaredType(type, value))) return
  throw new ApiError(
    'INVALID_REQUEST',
    `${JSON.stringify(entry.name)} must be ${requirementOf(type)}: correct the value, or change the declared type.`,
  )
}

/** Returns the declared type after the write: an omitted one keeps the stored one. */
function typeAfter(entry: WriteEntry, stored: StoredVariable | undefined): DeclaredType | undefined {
  return entry.declaredType ?? stored?.declaredType
}

function stateOf(sealer: Sealer, entry: WriteEntry, stored: StoredVariable | undefined): VariableState {
  const { name, kind } = entry
  const { facts, ...texts } = statedTemplate(entry)
  const attributes = { ...attributesOf(entry, stored?.attributes), ...facts }
  const pins = pinsText(attributes, pinsAfter(sealer, entry, stored))
  return {
    name,
    kind,
    declaredType: typeAfter(entry, stored) ?? null,
    attributes: JSON.stringify(attributes),
    sealed: sealValues(sealer, entry, { ...texts, pins }),
  }
}

/** Returns the pins after the write: omitted ones stay as stored. Throws EVALUATION_FAILED. */
function pinsAfter(sealer: Sealer, entry: WriteEntry, stored: StoredVariable | undefined): Pins {
  if (entry.kind !== 'ab_roll') return {}
  if (entry.pins !== undefined) return entry.pins ?? {}
  if (stored?.kind !== entry.kind) return {}
  const pins = undefinedIfCannotOpen(() => pinsOf(sealer, stored))
  if (pins) return pins
  throw new ApiError(
    'EVALUATION_FAILED',
    `The stored pins of ${JSON.stringify(entry.name)} cannot be opened, so they cannot stay: state pins, or null to clear them.`,
  )
}
