/**
 * Calls that come at once are worked off together: those of one turn of the event loop, and those that come while the
 * group before them is under way.
 */
interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export class Coalescer<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>
  #waiting: Waiting<Item, Result>[] = []
  #underWay = false

  /** `work` answers each item at its place; if it throws, so does every call of the group. */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>) {
    this.#work = work
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#underWay) return
      this.#underWay = true
      // Whatever else the sockets hold in this turn of the event loop comes along.
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        const results = await this.#work(group.map(({ item }) => item))
        for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#underWay = false
  }
}
