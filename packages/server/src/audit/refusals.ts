/**
 * Refusals of somebody who is known, in the audit log. They are counted in memory and brought there now and then, so that
 * whoever is refused a thousand times a second writes an entry a minute. A process that is killed loses the latest.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ErrorCode } from '@rollkey/contract'
import type { Actor } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'

interface Tally {
  /** As of the first refusal. */
  readonly actor: Actor
  /** Name of the endpoint and the code. */
  readonly subject: string
  count: number
  /** When it may be noted at the earliest. */
  notBefore: number
}

const everyMs = 60_000
/** Callers, endpoints and codes of a minute; of more, the rest is only in the metrics. */
const mostTallies = 10_000
/** Entries of one transaction: on the embedded store, requests come in between. */
const entriesAtOnce = 100

/** What says that a credential was used beyond what it is good for; that a request was wrong does not. */
const codes = new Set<ErrorCode>([
  'FORBIDDEN',
  'INVALID_ORG_SCOPE',
  'ORG_SCOPE_INVALID',
  'USAGE_LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'DEVICE_CODE_NOT_FOUND',
  'USER_CODE_INVALID',
])

export class Refusals {
  readonly #sql: Sql
  readonly #clock: Clock
  readonly #tallies = new Map<string, Tally>()

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Counts a refusal, if it is of a kind that is noted. */
  add(actor: Actor, endpoint: string, code: ErrorCode): void {
    if (!codes.has(code) && endpoint !== 'reveal') return
    const subject = `${endpoint} ${code}`
    const key = `${actor.orgId} ${actor.id} ${subject}`
    const tally = this.#tallies.get(key)
    if (tally) tally.count++
    else if (this.#tallies.size < mostTallies) this.#tallies.set(key, { actor, subject, count: 1, notBefore: 0 })
  }

  /** Notes what is due; with `isLast`, all. Called every few seconds and at the stop. */
  async flush(isLast = false): Promise<void> {
    const nowMs = this.#clock.now()
    for (const [key, { count, notBefore }] of this.#tallies) {
      if (count === 0 && nowMs >= notBefore) this.#tallies.delete(key)
    }
    const due = [...this.#tallies.values()]
      .filter(({ count, notBefore }) => count > 0 && (isLast || nowMs >= notBefore))
      // In one order on every node, so that two do not wait for each other's numbers.
      .toSorted((a, b) => (a.actor.orgId < b.actor.orgId ? -1 : 1))
    while (due.length > 0) {
      await this.#note(due.splice(0, entriesAtOnce), nowMs)
      await nextTurn()
    }
  }

  async #note(tallies: readonly Tally[], nowMs: number): Promise<void> {
    const counts = tallies.map(({ count }) => count)
    await this.#sql.tx(async (tx) => {
      for (const [index, { actor, subject }] of tallies.entries()) {
        await appendAudit(tx, actor, { action: 'refusal', nowMs, subject, nameCount: counts[index] ?? 0 })
      }
    }, 'process')
    for (const [index, tally] of tallies.entries()) {
      tally.count -= counts[index] ?? 0
      tally.notBefore = nowMs + everyMs
    }
  }
}
