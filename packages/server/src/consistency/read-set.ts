/**
 * Optimistic concurrency control. A request reads from memory, although another node may have changed the data, and
 * records what it read in its read set. Before the request has any result (an answer, a refusal or an effect), the read
 * set is validated by a database read that began after the request arrived (`read-validator.ts`). If validation fails,
 * the request starts over.
 */

/** An entry of a cache. */
export interface CacheEntry<Entry> {
  readonly entry: Entry
  /** Logical time at which, or after which, the database had this state; Infinity if no other process writes. */
  asOf: number
  /** Removes the entry from its cache. */
  forget(): void
}

/** What a request may read from memory. An entry of each kind has what the validation compares. */
interface Readable {
  readonly stage: { readonly stageId: string; readonly revision: number }
  /** `version` counts changes of the session, except its end. */
  readonly session: { readonly id: string; readonly version: number }
  readonly member: { readonly orgId: string; readonly userId: string }
  /** `accessRevision` counts changes of who may do what there; undefined if that was not read. */
  readonly organization: { readonly id: string; readonly accessRevision?: number }
}

export type ReadKind = keyof Readable

/** What a request has read from memory: at most one stage, session, membership and organization. */
export class ReadSet {
  /** Logical time at which the request arrived. */
  readonly arrivedAt: number
  stage: CacheEntry<Readable['stage']> | undefined
  session: CacheEntry<Readable['session']> | undefined
  member: CacheEntry<Readable['member']> | undefined
  organization: CacheEntry<Readable['organization']> | undefined

  constructor(arrivedAt: number) {
    this.arrivedAt = arrivedAt
  }

  /** Records that the request read the entry, unless the entry is newer than the request and so needs no validation. */
  record(kind: ReadKind, entry: CacheEntry<object>): void {
    if (entry.asOf <= this.arrivedAt) this[kind] = entry as never
  }

  /** The logical time of the oldest entry; Infinity if there is none. */
  get oldest(): number {
    const { stage, session, member, organization } = this
    return Math.min(
      stage?.asOf ?? Infinity,
      session?.asOf ?? Infinity,
      member?.asOf ?? Infinity,
      organization?.asOf ?? Infinity,
    )
  }

  get isValidated(): boolean {
    return !(this.stage ?? this.session ?? this.member ?? this.organization)
  }

  /** Empties the read set, because it was validated or because the request does not use what it read. */
  markValidated(): void {
    this.stage = undefined
    this.session = undefined
    this.member = undefined
    this.organization = undefined
  }
}

/** The read set for data that never changes. */
export const noReads: ReadSet = new ReadSet(-Infinity)
