/** Runs work one after the other, in the order of arrival. */
export class Mutex {
  #last: Promise<unknown> | undefined

  async run<T>(work: () => Promise<T>): Promise<T> {
    const current = this.#last ? this.#last.then(work, work) : work()
    this.#last = current
    try {
      return await current
    } finally {
      if (this.#last === current) this.#last = undefined
    }
  }
}
