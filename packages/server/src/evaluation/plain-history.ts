/** The values that changes of variables wrote and replaced, for people, where they are not secret: neither metered nor audited. */
import {
  compareCodePoints,
  dependentsOf,
  isMoreExposed,
  type Attributes,
  type Kind,
  type Request,
  type Response,
} from '@rollkey/contract'
import type { Log } from '../base/log.ts'
import { TimeSlices } from '../concurrency/time-slices.ts'
import type { Keyring } from '../crypto/keyring.ts'
import type { Sealer } from '../crypto/seal.ts'
import { reserve, type EvaluationRequest } from './evaluate.ts'
import { keyIdOfPacked, unpackVariable } from '../stages/payloads.ts'
import type { Stage } from '../stages/stages.ts'
import { changesOf, latestAttributes, templateHistory, type ChangeRow } from '../storage/history.ts'
import { readInPages } from '../storage/picked.ts'
import type { Reader } from '../storage/sql.ts'
import { loggingFailures, undefinedIfCannotOpen, type OnFailure } from '../variables/opening.ts'
import { entryFieldsOf } from '../variables/templates.ts'
import { openPlaintext } from '../variables/values.ts'

type Entry = Response<'plainHistory'>['changes'][number]

/** The values of a variable, sealed. */
interface SealedState {
  readonly kind: Kind
  readonly sealed: Uint8Array
  /** The sources of a template. */
  readonly sources: readonly string[]
}

/** A change with the states whose values people may see. */
interface PlainChange extends Pick<ChangeRow, 'name' | 'revision'> {
  readonly before: SealedState | undefined
  readonly after: SealedState | undefined
}

export class PlainHistory {
  readonly #sql: Reader
  readonly #keyring: Keyring
  readonly #log: Log

  constructor(parts: { sql: Reader; keyring: Keyring; log: Log }) {
    this.#sql = parts.sql
    this.#keyring = parts.keyring
    this.#log = parts.log
  }

  /**
   * Returns the changes, newest first and within a revision in wire order, without values that do not open. A value is shown if it was
   * not secret then and its variable is not secret in its latest state, so that a value is hidden for good once it is made
   * secret. The result of a template is hidden with the values of its sources. Throws PAYLOAD_TOO_LARGE or RATE_LIMITED.
   */
  async list(
    stage: Stage,
    { limit, ...filter }: Pick<Request<'plainHistory'>, 'name' | 'before' | 'limit'>,
    request: Pick<EvaluationRequest, 'reserve'>,
  ): Promise<Entry[]> {
    const { orgId, projectId, stageId } = stage
    const rows = await changesOf(this.#sql, stageId, filter, limit)
    // Read last, so that nothing is shown that was made secret before.
    const plain = await this.#plainNames(stageId, [...new Set(rows.map(({ name }) => name))])
    const shown = rows.filter(({ name }) => plain.has(name)).map(plainChangeOf)
    const changes = await this.#withoutHiddenSources(stageId, shown)
    const sealed = changes.flatMap(({ before, after }) => [before, after]).flatMap((state) => state?.sealed ?? [])
    await reserve(
      sealed.reduce((sum, { length }) => sum + length, 0),
      request,
    )
    const sealer = await this.#keyring.sealerOf({ orgId, projectId, stageId }, sealed.map(keyIdOfPacked))
    const entries = await loggingFailures(stage, this.#log, (onFailure) => openAll(sealer, changes, onFailure))
    return entries.toSorted((a, b) => b.revision - a.revision || compareCodePoints(a.name, b.name))
  }

  /** Returns the changes without the results of templates that named, by themselves or by others, what is secret or gone by now. */
  async #withoutHiddenSources(stageId: string, changes: readonly PlainChange[]): Promise<readonly PlainChange[]> {
    const named = changes.flatMap(({ before, after }) => [...(before?.sources ?? []), ...(after?.sources ?? [])])
    if (named.length === 0) return changes
    const templates: [name: string, sources: readonly string[]][] = []
    const known = new Set<string>()
    for (let names = [...new Set(named)]; names.length > 0;) {
      for (const name of names) known.add(name)
      const past = await readInPages(names, (page) => templateHistory(this.#sql, stageId, page))
      for (const { name, facets } of past) templates.push([name, (JSON.parse(facets) as Attributes).sources ?? []])
      names = [...new Set(past.flatMap(({ facets }) => (JSON.parse(facets) as Attributes).sources ?? []))].filter(
        (name) => !known.has(name),
      )
    }
    const plain = await this.#plainNames(stageId, [...known])
    const secret = [...known].filter((name) => !plain.has(name))
    const hidden = new Set([...secret, ...dependentsOf(secret, templates)])
    const shown = (state: SealedState | undefined): SealedState | undefined =>
      state?.sources.some((source) => hidden.has(source)) ? undefined : state
    return changes.map((change) => ({ ...change, before: shown(change.before), after: shown(change.after) }))
  }

  /** Returns those of the variables that are not secret in their latest state. */
  async #plainNames(stageId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const latest = await readInPages(names, (page) => latestAttributes(this.#sql, stageId, page))
    return new Set(latest.filter(({ facets }) => isPlain(facets)).map(({ name }) => name))
  }
}

/** Opens the values of changes, in slices between which others are served. Leaves out changes without a value to show. */
async function openAll(sealer: Sealer, changes: readonly PlainChange[], onFailure: OnFailure): Promise<Entry[]> {
  const slices = new TimeSlices()
  const entries: Entry[] = []
  for (const change of changes) {
    const entry = open(sealer, change, onFailure)
    if (entry.before ?? entry.after) entries.push(entry)
    if (slices.isOver) await slices.next()
  }
  return entries
}

function isPlain(facets: string | null): boolean {
  return facets !== null && isMoreExposed((JSON.parse(facets) as Attributes).exposure)
}

function plainChangeOf({ name, revision, ...row }: ChangeRow): PlainChange {
  return {
    name,
    revision,
    before: plainStateOf(row.before_kind, row.before_facets, row.before_sealed),
    after: plainStateOf(row.kind, row.facets, row.sealed),
  }
}

function plainStateOf(kind: Kind | null, facets: string | null, sealed: Uint8Array | null): SealedState | undefined {
  if (!kind || !sealed || !isPlain(facets)) return undefined
  return { kind, sealed, sources: (JSON.parse(facets ?? '{}') as Attributes).sources ?? [] }
}

function open(sealer: Sealer, { name, revision, before, after }: PlainChange, onFailure: OnFailure): Entry {
  const valuesOf = ({ kind, sealed }: SealedState) => {
    const opened = undefinedIfCannotOpen(
      () => openPlaintext(sealer, { name, kind, ...unpackVariable(kind, sealed) }),
      onFailure,
    )
    return opened && entryFieldsOf(kind, opened)
  }
  const [valuesBefore, valuesAfter] = [before && valuesOf(before), after && valuesOf(after)]
  return { revision, name, ...(valuesBefore && { before: valuesBefore }), ...(valuesAfter && { after: valuesAfter }) }
}
