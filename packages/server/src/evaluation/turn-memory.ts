/** Plaintexts in memory: for one turn of the event loop, and as long as an answer with them is written. */

/**
 * Plaintexts opened in this turn of the event loop, by what was opened. Requests that arrive together often need the same values and
 * share them. After the turn, a plaintext exists only in the answers that contain it.
 */
export class TurnCache<Key extends object, Opened> {
  #opened = new Map<Key, Opened>()
  readonly #drop: ((opened: Opened) => void) | undefined

  /** `drop` is called with each of them after the turn. */
  constructor(drop?: (opened: Opened) => void) {
    this.#drop = drop
  }

  get(key: Key, open: () => Opened): Opened {
    let opened = this.#opened.get(key)
    if (opened === undefined) {
      opened = open()
      if (this.#opened.size === 0) setImmediate(() => this.#clear())
      this.#opened.set(key, opened)
    }
    return opened
  }

  #clear(): void {
    const opened = this.#opened
    // A map that is emptied leads from its old table to the new one, and so from garbage to more of it (docs/decisions/0050).
    this.#opened = new Map()
    if (this.#drop) for (const each of opened.values()) this.#drop(each)
  }
}

/**
 * The opened text of a piece. It is erased and its memory is freed when its turn is over and the last answer with it is written. Left to
 * the garbage collector, a thousand pulls would make it search the whole heap (docs/decisions/0049).
 */
export class OpenedText {
  readonly bytes: Buffer<ArrayBuffer>
  /** Its turn, and the answers that contain it. */
  #holders = 1

  /** `bytes` must have a separate ArrayBuffer. */
  constructor(bytes: Buffer<ArrayBuffer>) {
    this.bytes = bytes
  }

  hold(): void {
    this.#holders++
  }

  /** Must be called once by each holder. One that never calls it leaves the memory to the garbage collector. */
  release(): void {
    this.#holders--
    if (this.#holders === 0) this.bytes.fill(0).buffer.transfer(0)
  }
}
