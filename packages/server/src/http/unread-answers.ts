/**
 * Bounds the memory of answers that clients have not read. An answer counts in full until the operating system has taken its
 * last byte, so a client that reads a byte now and then holds as much as one that reads nothing. Room for a large answer is
 * reserved before the answer is made and billed; a small one counts only if it has to wait.
 */
import type { ServerResponse } from 'node:http'
import { ApiError } from '../base/api-error.ts'
import { HeldBytes, type ByteBounds } from './held-bytes.ts'

/** An answer of this size or less is not refused for what other callers have not read. */
const smallBytes = 65_536
/** What is reserved for an answer whose size is known only when it is made. */
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

  /** The answer to a request. `holder`: its caller or, without a credential, its address. */
  of(holder: string): UnreadAnswer {
    return new UnreadAnswer(this, holder)
  }

  /** Throws RATE_LIMITED. A caller that has read everything gets an answer of any size. */
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
    throw new ApiError('RATE_LIMITED', 'Too many bytes of answers are unread; read those answers, then ask again.', {
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

  /** Makes room for an answer of about this number of bytes, in place of what was reserved before. Throws RATE_LIMITED. */
  reserve(bytes: number): void {
    this.#count(0)
    this.#all.assertRoom(this.#holder, bytes)
    if (bytes > smallBytes) this.#count(bytes)
  }

  /** Counts what of the answer still waits. To be called when it was written, or when there is none. */
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
