/** Counts the rows that statements visit on the embedded store, which are more than those that they return. */
import { DatabaseSync, StatementSync, type SQLInputValue } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Runs statements of the service again, on views of its tables that count. The views store nothing. */
export class RowVisits {
  readonly #db: DatabaseSync
  #count = 0

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true })
    this.#db.function('visit', (_rowid) => {
      this.#count++
      return 1
    })
    this.#db.function('chain', (before, _digest) => before)
    const tables = this.#db.prepare(`select name from sqlite_schema where type = 'table'`).all() as { name: string }[]
    for (const { name } of tables) {
      this.#db.exec(`create temp view "${name}" as select * from main."${name}" where visit(rowid)`)
      for (const change of ['insert', 'update', 'delete'])
        this.#db.exec(`create temp trigger "${change} ${name}" instead of ${change} on "${name}" begin select 1; end`)
    }
  }

  /** Returns how many rows a statement visits. The rows that meet an inserted one are few, and no view can have them. */
  #visitsOf(text: string, params: SQLInputValue[]): number {
    if (!/^\s*(select|with|insert|update|delete) /.test(text)) return 0
    this.#count = 0
    this.#db.prepare(text.replace(/ on conflict [^]*$/, '')).all(...params)
    return this.#count
  }

  /** Returns the most rows that statements visit in one turn of the event loop during the work, in which each slice ends at once. */
  async inATurn(work: () => Promise<unknown>): Promise<number> {
    let ticks = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ticks++)
    let [now, most, isCounting] = [0, 0, true]
    const prototype = StatementSync.prototype as {
      all: (this: StatementSync, ...params: SQLInputValue[]) => unknown[]
    }
    const { all } = prototype
    const count = (text: string, params: SQLInputValue[]): number => this.#visitsOf(text, params)
    const counting = vi.spyOn(prototype, 'all').mockImplementation(function (this: StatementSync, ...params) {
      if (!isCounting) return all.apply(this, params)
      isCounting = false
      // An update finds other rows once it has changed them.
      now += count(this.sourceSQL, params)
      isCounting = true
      most = Math.max(most, now)
      return all.apply(this, params)
    })
    const done = new AbortController()
    const turns = (async () => {
      for (; !done.signal.aborted; now = 0) await nextTurn()
    })()
    try {
      await work()
    } finally {
      done.abort()
      await turns
      counting.mockRestore()
      clock.mockRestore()
    }
    return most
  }

  close(): void {
    this.#db.close()
  }
}
