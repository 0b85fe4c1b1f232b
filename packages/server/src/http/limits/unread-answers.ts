/**
 * Limits the memory of answers that clients have not read. An answer counts in full until the operating system has taken its
 * last byte, so a client that reads slowly holds as much as one that reads nothing. Memory for a large answer is reserved before
 * the answer is made and billed. A small answer counts only while it waits.
 */
import type { ServerResponse } from 'node:http'
import { ApiError } from '../../base/api-error.ts'
import { HeldBytes, type ByteBounds } from './held-bytes.ts'

/** Maximum size of an answer that is never refused because of the unread answers of other callers. */
const smallBytes = 65_536
/** The number of bytes to reserve for an answer whose size is not yet known. */
export const unknownBytes = 2 * smallBytes
const retryAfterSec = 1

export interface UnreadAnswersParts {
  readonly bounds: ByteBounds
  readonly onRefused: (limit: string) => void
}

export class UnreadAnswers {
  readonly #bounds: ByteBounds
  readonly #onRefused: (limit: string) => void
  readonly #held = new HeldBytes()

  constructor({ bounds, onRefused }: UnreadAnswersParts) {
    this.#bounds = bounds
    this.#onRefused = onRefused
  }

  /** Returns the answer to a request. `holder`: its caller or, without a credential, its address. */
  of(holder: string): UnreadAnswer {
    return new UnreadAnswer(this, holder)
  }

  /** Throws RATE_LIMITED if this answer does not fit. A caller that has read everything gets an answer of any size. */
  assertRoom(holder: string, bytes: number): void {
    const { total } = this.#held
    if (total === 0) return
    const held = this.#held.by(holder)
    const isTooMuch = held > 0 && held + bytes > this.#bounds.perHolder
    if (isTooMuch || (bytes > smallBytes && total + bytes > this.#bounds.total)) this.#refuse()
  }

  add(holder: string, bytes: number): void {
    this.#held.add(holder, bytes)
  }

  #refuse(): never {
    this.#onRefused('answers')
    throw new ApiError('RATE_LIMITED', 'Too many bytes of responses are unread: read them, then try again.', {
      'retry-after': String(retryAfterSec),
    })
  }
}

export class UnreadAnswer {
  readonly #all: UnreadAnswers
  readonly #holder: string
  #counted = 0

  constructor(all: UnreadAnswers, holder: string) {
    this.#all = all
    this.#holder = holder
  }

  /** Reserves about this number of bytes, which replaces an earlier reservation. Throws RATE_LIMITED. */
  reserve(bytes: number): void {
    this.#count(0)
    this.#all.assertRoom(this.#holder, bytes)
    if (bytes > smallBytes) this.#count(bytes)
  }

  /** Counts the part of the answer that is still unread. Must be called after the answer is written, or if there is none. */
  settle(response: ServerResponse): void {
    const waiting = response.destroyed ? 0 : response.writableLength
    this.#count(waiting)
    if (waiting > 0) response.once('close', () => this.#count(0))
  }

  #count(bytes: number): void {
    if (bytes === this.#counted) return
    this.#all.add(this.#holder, bytes - this.#counted)
    this.#counted = bytes
  }
}
