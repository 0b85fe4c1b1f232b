/** Maximum bytes of memory that clients may hold. */
export interface ByteBounds {
  readonly perClient: number
  readonly total: number
}

/** Counts bytes of memory that clients hold, each of them and all together. */
export class ClientBytes {
  readonly #byClient = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  by(clientKey: string): number {
    return this.#byClient.get(clientKey) ?? 0
  }

  add(clientKey: string, bytes: number): void {
    this.#total += bytes
    const sum = this.by(clientKey) + bytes
    if (sum > 0) this.#byClient.set(clientKey, sum)
    else this.#byClient.delete(clientKey)
  }
}
