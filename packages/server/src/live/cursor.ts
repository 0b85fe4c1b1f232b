/**
 * The cursor of a subscriber: the revisions that it has received, by stage slug. Its text is `dev:12,prod:7`. With `prod!:3` it says of
 * how many moves of the proposed changes of prod the subscriber knows. Where that would be too long for a header, the text is a digest
 * of the same and the number of entries: `<64 hexadecimal digits>!:1200`, which shows only whether anything has changed since. Earlier
 * versions take it for a cursor that knows of no stage, and send everything.
 */
import { hash } from 'node:crypto'
import { limits } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'

/** What a client says that it has received: revisions, or the digest of a cursor. */
export type Since = ReadonlyMap<string, number> | string

const part = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63}!?):(\d{1,15})$/
const digest = /^[0-9a-f]{64}!:\d{1,15}$/

/** Parses the text of a cursor. Throws INVALID_REQUEST. */
export function parseCursor(text: string): Since {
  if (digest.test(text)) return text
  const parts = text === '' ? [] : text.split(',')
  return new Map(
    parts.map((each) => {
      const [, slug, revision] = part.exec(each) ?? []
      if (slug === undefined) {
        throw new ApiError(
          'INVALID_REQUEST',
          'Invalid since or Last-Event-ID header (expected the id of an event, or stages with revisions such as "dev:12,prod:7").',
        )
      }
      return [slug, Number(revision)]
    }),
  )
}

export class Cursor {
  readonly #revisions = new Map<string, number>()
  /** Length of the text that names all revisions, with a comma after each. */
  #length = 0
  /** Sum of the hashes of all entries, so that one entry more or less costs the same in a large project. */
  #sum = 0n

  constructor(entries: Iterable<readonly [string, number]>) {
    for (const [key, revision] of entries) this.set(key, revision)
  }

  get(key: string): number | undefined {
    return this.#revisions.get(key)
  }

  set(key: string, revision: number): void {
    this.#add(key, -1)
    this.#revisions.set(key, revision)
    this.#add(key, 1)
  }

  delete(key: string): void {
    this.#add(key, -1)
    this.#revisions.delete(key)
  }

  #add(key: string, times: 1 | -1): void {
    const revision = this.#revisions.get(key)
    if (revision === undefined) return
    const entry = `${key}:${revision}`
    this.#length += times * (entry.length + 1)
    this.#sum += BigInt(times) * BigInt(`0x${hash('sha256', entry)}`)
  }

  /** The text, of at most `limits.cursorCharacters`. */
  get text(): string {
    if (this.#length > limits.cursorCharacters) return this.digest
    return [...this.#revisions].map(([key, revision]) => `${key}:${revision}`).join(',')
  }

  /** Equal cursors have equal digests, in whichever order their entries came. */
  get digest(): string {
    return `${BigInt.asUintN(256, this.#sum).toString(16).padStart(64, '0')}!:${this.#revisions.size}`
  }
}
