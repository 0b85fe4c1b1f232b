/**
 * Records refusals of identified callers in the audit log. They are counted in memory and written at intervals, so that a
 * caller who is refused a thousand times a second causes one entry a minute. The metrics count all of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditFacts, ErrorCode } from '@rollkey/contract'
import type { Actor } from '../storage/actor.ts'
import type { Clock } from '../base/clock.ts'
import { SampledCounts, type DueCount } from './sampled-counts.ts'
import { appendAudit } from '../storage/audit.ts'
import type { Sql } from '../storage/sql.ts'

interface Refusal {
  /** The actor of the first refusal. */
  readonly actor: Actor
  readonly facts: AuditFacts<'refusal'>
}

/** Entries per transaction. Between transactions the embedded store serves requests. */
const batchSize = 100

/** Codes which show that a credential was used beyond its rights. Invalid requests are not recorded. */
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
  readonly #counts: SampledCounts<Refusal>

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
    this.#counts = new SampledCounts(clock)
  }

  /** Counts a refusal if its kind is recorded. */
  add(actor: Actor, endpoint: string, code: ErrorCode): void {
    if (!codes.has(code) && endpoint !== 'reveal') return
    this.#counts.add(`${actor.orgId} ${actor.id} ${endpoint} ${code}`, { actor, facts: { endpoint, code } })
  }

  /** Records the due refusals, or with `isLast` all of them. Called every few seconds and at shutdown. */
  async flush(isLast = false): Promise<void> {
    const due = this.#counts
      .due(isLast)
      // The same order on every node prevents deadlocks on the entry numbers.
      .toSorted((a, b) => (a.kind.actor.orgId < b.kind.actor.orgId ? -1 : 1))
    while (due.length > 0) {
      await this.#record(due.splice(0, batchSize))
      await nextTurn()
    }
  }

  async #record(due: readonly DueCount<Refusal>[]): Promise<void> {
    const nowMs = this.#clock.now()
    const taken = due.map((each) => ({ ...each, count: each.take() })).filter(({ count }) => count > 0)
    if (taken.length === 0) return
    try {
      await this.#sql.tx(async (tx) => {
        for (const { kind, count } of taken) {
          const { actor, facts } = kind
          await appendAudit(tx, actor, { action: 'refusal', nowMs, facts, nameCount: count })
        }
      }, 'process')
    } catch (error) {
      for (const { giveBack, count } of taken) giveBack(count)
      throw error
    }
  }
}
