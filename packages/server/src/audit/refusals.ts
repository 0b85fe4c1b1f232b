/**
 * Refusals of somebody who is known, in the audit log. They are counted in memory and brought there now and then, so that
 * whoever is refused a thousand times a second writes an entry a minute; the metrics have all of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ErrorCode } from '@rollkey/contract'
import type { Actor } from '../base/actor.ts'
import type { Clock } from '../base/clock.ts'
import { SampledCounts, type DueCount } from '../base/sampled-counts.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'

interface Refusal {
  /** As of the first one. */
  readonly actor: Actor
  /** Name of the endpoint and the code. */
  readonly subject: string
}

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
  readonly #tallies: SampledCounts<Refusal>

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
    this.#tallies = new SampledCounts(clock)
  }

  /** Counts a refusal, if it is of a kind that is noted. */
  add(actor: Actor, endpoint: string, code: ErrorCode): void {
    if (!codes.has(code) && endpoint !== 'reveal') return
    const subject = `${endpoint} ${code}`
    this.#tallies.add(`${actor.orgId} ${actor.id} ${subject}`, { actor, subject })
  }

  /** Notes what is due; with `isLast`, all. Called every few seconds and at the stop. */
  async flush(isLast = false): Promise<void> {
    const due = this.#tallies
      .due(isLast)
      // In one order on every node, so that two do not wait for each other's numbers.
      .toSorted((a, b) => (a.kind.actor.orgId < b.kind.actor.orgId ? -1 : 1))
    while (due.length > 0) {
      await this.#note(due.splice(0, entriesAtOnce))
      await nextTurn()
    }
  }

  async #note(due: readonly DueCount<Refusal>[]): Promise<void> {
    const nowMs = this.#clock.now()
    await this.#sql.tx(async (tx) => {
      for (const { kind, count } of due) {
        const { actor, subject } = kind
        await appendAudit(tx, actor, { action: 'refusal', nowMs, subject, nameCount: count })
      }
    }, 'process')
    for (const { done } of due) done()
  }
}
