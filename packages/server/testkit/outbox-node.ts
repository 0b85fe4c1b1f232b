/** A node that sends what waits in outboxes. It looks for work at `tick`, and stores nothing after it was killed. */
import type { Timer } from '../src/base/clock.ts'
import { createLog, type Log } from '../src/base/log.ts'
import { OutboxWorker, type Outbox, type OutboxWorkerParts } from '../src/outbox/outbox-worker.ts'
import { sendIn, type Sql } from '../src/storage/sql.ts'
import type { TestClock } from './clock.ts'

/** What the outboxes of a node share. */
export interface NodeParts {
  readonly sql: Sql
  readonly clock: Timer
  readonly log: Log
  readonly random: () => number
}

export type NodeOptions = Partial<Pick<OutboxWorkerParts, 'log' | 'turns'>>

export class OutboxNode {
  readonly #works: (() => void)[] = []
  readonly worker: OutboxWorker
  isKilled = false

  constructor(
    sql: Sql,
    clock: TestClock,
    outboxesOf: (parts: NodeParts, node: OutboxNode) => readonly Outbox[],
    { log = createLog('silent'), ...more }: NodeOptions = {},
  ) {
    const own: Sql = {
      all: (...args) => sql.all(...args),
      tx: async (...args) => {
        if (this.isKilled) throw new Error('killed')
        return sql.tx(...args)
      },
      atOnce: (send) => own.tx((tx) => sendIn(tx, send)),
      alone: (work) => sql.alone(work),
      close: async () => undefined,
    }
    const timer: Timer = { now: () => clock.now(), every: (_, work) => (this.#works.push(work), () => undefined) }
    const parts = { sql: own, clock: timer, log, random: () => 0 }
    this.worker = new OutboxWorker({ ...parts, ...more, outboxes: outboxesOf(parts, this) })
    this.worker.start()
  }

  /** Looks for work, and begins it. */
  readonly tick = (): void => {
    for (const work of this.#works) work()
  }
}
