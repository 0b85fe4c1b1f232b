/** Checks an audit log, entry by entry, for changes since it was written (docs/decisions/0020). */
import type { KeyObject } from 'node:crypto'
import { chainDigest } from '../storage/chain.ts'
import type { ChainedRow } from '../storage/audit-chain.ts'
import { contentDigestOf, entryDigestOf, isDeleted } from '../storage/audit-content.ts'
import { hasValidSignature, type Checkpoint } from './checkpoint.ts'
import type { AuditRecord } from './records.ts'

export interface ChainProblem {
  /** Number of the entry. */
  readonly seq: number
  readonly problem: string
}

export interface Findings {
  readonly entries: number
  /** Entries from before the chain. Changes of these cannot be detected. */
  readonly beforeChain: number
  /** Entries whose details were deleted after the retention period. */
  readonly withoutDetails: number
  readonly checkpoints: number
  /** Entries that no checkpoint covers yet. Anyone who can write to the store could rewrite these. */
  readonly sinceCheckpoint: number
  /** The first problems, up to a maximum. */
  readonly problems: readonly ChainProblem[]
}

/** Maximum problems in the findings: one change can break the chain in many places. */
const maxProblems = 100
/** How far back a repeated entry may be: more than a batch of the audit stream. */
const maxRepeated = 2_000

interface Start {
  readonly orgId: string
  readonly publicKey: KeyObject
  /** Number of the last entry before the chain began. */
  readonly chainedFrom: number
  /** The entry before the first one to check; 0 and empty if the check begins with the first entry of the log. */
  readonly before: { readonly seq: number; readonly chain: string }
  /** Returns whether the details of such an entry may be deleted. */
  readonly mayBeDeleted: (action: string, atMs: number) => boolean
  /** Whether entries may appear again, and checkpoints after later entries, as in what a receiver of the audit stream has. */
  readonly isStream?: true
}

export class ChainCheck {
  readonly #start: Start
  readonly #problems: ChainProblem[] = []
  /** Links and digests of entries that may still appear again or be covered by a checkpoint, by number. Only of a stream. */
  readonly #links = new Map<number, { readonly chain: string; readonly digest: string }>()
  #seq: number
  #chain: string
  #signedSeq: number
  #entries = 0
  #beforeChain = 0
  #withoutDetails = 0
  #checkpoints = 0

  constructor(start: Start) {
    this.#start = start
    this.#seq = start.before.seq
    this.#chain = start.before.chain
    this.#signedSeq = Math.max(start.before.seq, start.chainedFrom)
  }

  add(record: AuditRecord): void {
    if ('entry' in record) this.#addEntry(record.entry)
    else this.#addCheckpoint(record.checkpoint)
  }

  /** Checks the end. Call it after the last record, with the end that the log states. */
  checkEnd(head: { readonly seq: number; readonly chain: string }): void {
    if (head.seq === this.#seq && head.chain === this.#chain) return
    this.#addProblem(
      head.seq,
      `the log should end here but ends with entry ${this.#seq}: its end was cut off or changed`,
    )
  }

  /** Checks that a checkpoint covers the end. Call it after the last record of an export. */
  checkEndIsSigned(): void {
    if (this.#signedSeq === this.#seq && this.#checkpoints > 0) return
    this.#addProblem(this.#seq, 'no checkpoint covers it: the end was cut off, or the log was never signed')
  }

  get findings(): Findings {
    return {
      entries: this.#entries,
      beforeChain: this.#beforeChain,
      withoutDetails: this.#withoutDetails,
      checkpoints: this.#checkpoints,
      sinceCheckpoint: Math.max(0, this.#seq - this.#signedSeq),
      problems: this.#problems,
    }
  }

  #addEntry(row: ChainedRow): void {
    const { seq } = row
    if (this.#start.isStream && seq <= this.#seq) return this.#addRepeated(row)
    this.#entries++
    if (seq !== this.#seq + 1)
      this.#addProblem(seq, `expected entry ${this.#seq + 1} here: entries are missing or were moved`)
    this.#seq = seq
    if (isDeleted(row)) {
      this.#withoutDetails++
      if (!this.#start.mayBeDeleted(row.action, row.at_ms))
        this.#addProblem(seq, 'its details were deleted before the retention period ended')
    }
    if (seq > this.#start.chainedFrom) return this.#addLink(row)
    this.#beforeChain++
    if (row.chain !== null) this.#addProblem(seq, 'it is part of the chain, although the chain should begin after it')
  }

  #addLink(row: ChainedRow): void {
    const { seq, at_ms: atMs, action } = row
    const contentDigest = contentDigestOf(row)
    if (!isDeleted(row) && row.content_digest !== contentDigest) this.#addProblem(seq, 'its details were changed')
    const digest = entryDigestOf(this.#start.orgId, atMs, action, row.content_digest ?? contentDigest)
    const link = chainDigest(this.#chain, digest)
    if (row.chain !== link) this.#addProblem(seq, 'it does not continue the chain: it was changed, moved or added')
    // Continue from the stored link, so that later changes are found too.
    this.#chain = row.chain ?? link
    if (this.#start.isStream) this.#links.set(seq, { chain: this.#chain, digest })
  }

  /** Checks an entry that was sent again: it must be the same. */
  #addRepeated(row: ChainedRow): void {
    const { seq } = row
    if (seq <= this.#start.chainedFrom) return
    const { chain, digest } = this.#links.get(seq) ?? {}
    const contentDigest = contentDigestOf(row)
    // Details may have been deleted since it was first sent, but not their digest.
    const isWhole = isDeleted(row) || row.content_digest === contentDigest
    const entryDigest = entryDigestOf(this.#start.orgId, row.at_ms, row.action, row.content_digest ?? contentDigest)
    const isSame = isWhole && row.chain === chain && entryDigest === digest
    if (!isSame)
      this.#addProblem(seq, 'it appears again, and is another one or long after the first: it was changed or moved')
  }

  #addCheckpoint(checkpoint: Checkpoint): void {
    const { seq, chainedFrom } = checkpoint
    this.#checkpoints++
    if (!hasValidSignature(checkpoint, this.#start.publicKey)) {
      this.#addProblem(seq, 'its checkpoint was not signed by this installation')
    } else if (seq !== this.#seq && !this.#links.has(seq)) {
      this.#addProblem(seq, 'it is missing, although a checkpoint covers it')
    } else if (
      checkpoint.chain !== (this.#links.get(seq)?.chain ?? this.#chain) ||
      chainedFrom !== this.#start.chainedFrom
    ) {
      this.#addProblem(seq, 'it does not match its signed checkpoint: the log was rewritten')
    } else {
      this.#signedSeq = Math.max(this.#signedSeq, seq)
      for (const each of this.#links.keys()) {
        if (each >= seq - maxRepeated) break
        this.#links.delete(each)
      }
    }
  }

  #addProblem(seq: number, problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ seq, problem })
  }
}
