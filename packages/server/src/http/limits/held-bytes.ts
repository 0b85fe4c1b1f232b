/** Maximum bytes of memory that clients may hold. */
export interface ByteBounds {
  readonly perHolder: number
  readonly total: number
}

/** Counts bytes of memory that clients hold, each of them and all together. */
export class HeldBytes {
  readonly #byHolder = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  by(holder: string): number {
    return this.#byHolder.get(holder) ?? 0
  }

  add(holder: string, bytes: number): void {
    this.#total += bytes
    const held = this.by(holder) + bytes
    if (held > 0) this.#byHolder.set(holder, held)
    else this.#byHolder.delete(holder)
  }
}
