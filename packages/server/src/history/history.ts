/** The history of a stage: what changed, when and by whom, with digests instead of values. */
import {
  compareCodePoints,
  kinds,
  type Attributes,
  type DeclaredType,
  type Digested,
  type Kind,
  type Request,
  type Response,
} from '@rollkey/contract'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Sealer } from '../crypto/seal.ts'
import { changesOf, type ChangeRow } from '../storage/history.ts'
import type { Reader } from '../storage/sql.ts'
import { undefinedIfCannotOpen } from '../variables/opening.ts'
import { keyIdOfPacked, unpackVariable } from '../stages/payloads.ts'
import type { Stage } from '../stages/stages.ts'
import { openPins, openTemplate, openValue } from '../variables/values.ts'
import { changesOfRevisions } from './applied-changes.ts'

type Entry = Response<'history'>['changes'][number]
type State = NonNullable<Entry['before']>

/** What makes the digests of stored values. */
interface Opening {
  readonly sealer: Sealer
  readonly digest: (value: Buffer) => string
  /** Undefined: who asks may read the values. */
  readonly hide: ReturnType<Keyring['digestHiderOf']> | undefined
}

/** The state of a variable in a row of the history. `kind` is null if the variable did not exist. */
interface StoredState {
  readonly kind: Kind | null
  readonly declaredType: DeclaredType | null
  readonly facets: string | null
  readonly sealed: Uint8Array | null
}

export class History {
  readonly #sql: Reader
  readonly #keyring: Keyring

  constructor(parts: { sql: Reader; keyring: Keyring }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
  }

  /** Returns the changes, newest first and within a revision in wire order. `mayRead`: whether the caller may read the values. */
  async list(
    { orgId, projectId, stageId }: Stage,
    { limit, ...filter }: Pick<Request<'history'>, 'name' | 'before' | 'limit'>,
    mayRead: boolean,
  ): Promise<Entry[]> {
    const digest = this.#keyring.digesterOf(orgId)
    const hide = mayRead ? undefined : this.#keyring.digestHiderOf(stageId)
    const rows = await changesOf(this.#sql, stageId, filter, limit)
    if (rows.length === 0) return []
    const sealed = rows.flatMap((row) => [row.sealed, row.before_sealed]).filter((each) => each !== null)
    // The stage may have been in memory before the key that resealed these states was created.
    const sealer = await this.#keyring.sealerOf({ orgId, projectId, stageId }, sealed.map(keyIdOfPacked))
    const revisions = [...new Set(rows.map(({ revision }) => revision))].map((revision) => ({ stageId, revision }))
    const originOf = await changesOfRevisions(this.#sql, revisions)
    const entries: Entry[] = []
    const slices = new TimeSlices()
    for (const row of rows.toSorted((a, b) => b.revision - a.revision || compareCodePoints(a.name, b.name))) {
      entries.push({ ...entryOf({ sealer, digest, hide }, row), ...originOf({ stageId, revision: row.revision }) })
      // A revision may have thousands of changes.
      if (slices.isOver) await slices.next()
    }
    return entries
  }
}

function entryOf(opening: Opening, row: ChangeRow): Entry {
  const { name, kind, declared_type: declaredType, facets, sealed } = row
  const after = stateOf(opening, name, { kind, declaredType, facets, sealed })
  const before = stateOf(opening, name, {
    kind: row.before_kind,
    declaredType: row.before_declared_type,
    facets: row.before_facets,
    sealed: row.before_sealed,
  })
  return {
    revision: row.revision,
    name,
    change: row.change ?? (!after ? 'deleted' : before ? 'updated' : 'created'),
    ...after,
    ...(before && { before }),
    writtenAtMs: row.written_at_ms,
    writtenBy: row.written_by,
    ...(row.client !== null && { client: row.client }),
  }
}

function stateOf({ sealer, digest, hide }: Opening, name: string, stored: StoredState): State | undefined {
  const { kind, declaredType, facets, sealed } = stored
  if (kind === null || facets === null || sealed === null) return undefined
  const variable = { name, kind, ...unpackVariable(kind, sealed) }
  const digests = kinds[kind].values.flatMap(({ role }, index) => {
    // A value that does not open has no digest; the other changes are still listed.
    const value = undefinedIfCannotOpen(() => openValue(sealer, variable, index))
    return value ? [[role, digest(value)]] : []
  })
  const attributes = JSON.parse(facets) as Attributes
  const pins = attributes.pinned && undefinedIfCannotOpen(() => openPins(sealer, variable))
  const template = attributes.template && undefinedIfCannotOpen(() => openTemplate(sealer, variable))
  const all: Digested['digests'] = {
    ...Object.fromEntries(digests),
    ...(pins && { pins: digest(pins) }),
    ...(template && { template: digest(template) }),
  }
  return {
    kind,
    ...(declaredType && { declaredType }),
    ...attributes,
    digests: hide ? hide({ name, digests: all }) : all,
  }
}
