/** Looks at an audit log, entry by entry, for whatever was done to it since it was written (decision 20). */
import type { KeyObject } from 'node:crypto'
import { chainDigest } from '../base/chain.ts'
import type { ChainedRow } from '../storage/audit-chain.ts'
import { contentDigestOf, entryDigestOf, isDeleted } from '../storage/audit-content.ts'
import { isSigned, type Checkpoint } from './checkpoint.ts'
import type { AuditRecord } from './records.ts'

export interface ChainProblem {
  /** Number of the entry. */
  readonly seq: number
  readonly problem: string
}

export interface Findings {
  readonly entries: number
  /** Of them, from before the chain: they can be changed unseen. */
  readonly beforeChain: number
  /** Of them, without details, because their time was over. */
  readonly withoutDetails: number
  readonly checkpoints: number
  /** Entries that no checkpoint covers yet: who can write the store could write these anew. */
  readonly sinceCheckpoint: number
  /** The first ones. */
  readonly problems: readonly ChainProblem[]
}

/** One change can break the chain at many places. */
const maxProblems = 100

interface Start {
  readonly orgId: string
  readonly publicKey: KeyObject
  /** Number of the last entry before the chain began. */
  readonly chainedFrom: number
  /** The entry before the first one that is looked at: 0 and empty if that is the first of all. */
  readonly before: { readonly seq: number; readonly chain: string }
  /** Whether details of such an entry may be gone. */
  readonly mayBeDeleted: (action: string, atMs: number) => boolean
}

export class ChainCheck {
  readonly #start: Start
  readonly #problems: ChainProblem[] = []
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

  /** To be called after the last record with where the log says that it ends. */
  endsAt(head: { readonly seq: number; readonly chain: string }): void {
    if (head.seq === this.#seq && head.chain === this.#chain) return
    this.#found(head.seq, `the log should end here, and ends with entry ${this.#seq}: its end was cut off or changed`)
  }

  /** To be called after the last record of a log that ends with a checkpoint. */
  endsSigned(): void {
    if (this.#signedSeq === this.#seq && this.#checkpoints > 0) return
    this.#found(this.#seq, 'no checkpoint of it follows: the end was cut off, or nothing here was ever signed')
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
    this.#entries++
    if (seq !== this.#seq + 1) this.#found(seq, `entry ${this.#seq + 1} should come here: entries are missing or moved`)
    this.#seq = seq
    if (isDeleted(row)) {
      this.#withoutDetails++
      if (!this.#start.mayBeDeleted(row.action, row.at_ms)) this.#found(seq, 'its details are gone before their time')
    }
    if (seq > this.#start.chainedFrom) return this.#addLink(row)
    this.#beforeChain++
    if (row.chain !== null) this.#found(seq, 'it has a place in the chain, which is said to begin after it')
  }

  #addLink(row: ChainedRow): void {
    const { seq, at_ms: atMs, action } = row
    const contentDigest = contentDigestOf(row)
    if (!isDeleted(row) && row.content_digest !== contentDigest) this.#found(seq, 'its details are not what was noted')
    const digest = entryDigestOf(this.#start.orgId, atMs, action, row.content_digest ?? contentDigest)
    const link = chainDigest(this.#chain, digest)
    if (row.chain !== link) this.#found(seq, 'it does not continue the chain: it was changed, moved or added')
    // On from what it says, so that what was done elsewhere is found too.
    this.#chain = row.chain ?? link
  }

  #addCheckpoint(checkpoint: Checkpoint): void {
    const { seq, chainedFrom } = checkpoint
    this.#checkpoints++
    if (!isSigned(checkpoint, this.#start.publicKey)) {
      this.#found(seq, 'its checkpoint is not one that this installation has signed')
    } else if (seq !== this.#seq) {
      this.#found(seq, 'a checkpoint was made of it, and it is missing')
    } else if (checkpoint.chain !== this.#chain || chainedFrom !== this.#start.chainedFrom) {
      this.#found(seq, 'what was signed when its checkpoint was made is not what is there: the log was written anew')
    } else this.#signedSeq = seq
  }

  #found(seq: number, problem: string): void {
    if (this.#problems.length < maxProblems) this.#problems.push({ seq, problem })
  }
}
