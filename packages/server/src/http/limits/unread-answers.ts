/**
 * Limits the memory of answers that clients have not read. An answer counts in full until the operating system has taken its
 * last byte, so a client that reads slowly holds as much as one that reads nothing. Memory for a large answer is reserved before
 * the answer is made and billed. A small answer counts only while it waits.
 */
import type { ServerResponse } from 'node:http'
import { ApiError } from '../../base/api-error.ts'
import { ClientBytes, type ByteBounds } from './client-bytes.ts'

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
  readonly #bytes = new ClientBytes()

  constructor({ bounds, onRefused }: UnreadAnswersParts) {
    this.#bounds = bounds
    this.#onRefused = onRefused
  }

  /** Returns the answer to a request. `clientKey`: its caller or, without a credential, its address. */
  answerTo(clientKey: string): UnreadAnswer {
    return new UnreadAnswer(this, clientKey)
  }

  /** Throws RATE_LIMITED if this answer does not fit. A caller that has read everything gets an answer of any size. */
  assertRoom(clientKey: string, bytes: number): void {
    const { total } = this.#bytes
    if (total === 0) return
    const unread = this.#bytes.by(clientKey)
    const isTooMuch = unread > 0 && unread + bytes > this.#bounds.perClient
    if (isTooMuch || (bytes > smallBytes && total + bytes > this.#bounds.total)) this.#refuse()
  }

  add(clientKey: string, bytes: number): void {
    this.#bytes.add(clientKey, bytes)
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
  readonly #clientKey: string
  #counted = 0

  constructor(all: UnreadAnswers, clientKey: string) {
    this.#all = all
    this.#clientKey = clientKey
  }

  /** Reserves about this number of bytes, which replaces an earlier reservation. Throws RATE_LIMITED. */
  reserve(bytes: number): void {
    this.#count(0)
    this.#all.assertRoom(this.#clientKey, bytes)
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
    this.#all.add(this.#clientKey, bytes - this.#counted)
    this.#counted = bytes
  }
}
