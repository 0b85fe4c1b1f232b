/**
 * Refuses client keys after their evaluations of a UTC month. A node decides by what the store had some seconds ago and what it has
 * counted itself since, so several nodes together can exceed the maximum by the evaluations of these seconds.
 */
import { ApiError } from '../base/api-error.ts'
import { endOfMonth, monthOf, type Clock } from '../base/clock.ts'
import { CoherentCache } from '../consistency/coherent-cache.ts'
import { noReads } from '../consistency/read-set.ts'
import type { LogicalClock } from '../consistency/read-validator.ts'
import type { Reader } from '../storage/sql.ts'
import { usageOfClientKeys } from '../storage/usage.ts'
import type { PendingUsage } from './pending-usage.ts'

const maxInMemory = 100_000
const refreshIntervalMs = 10_000
/** The operator may raise the maximum, so clients try again before the month is over. */
const maxRetryAfterSec = 3_600

/** The evaluations of a key in a month. */
interface Count {
  readonly month: string
  readonly stored: number
  readonly asOfMs: number
  /** Those that this node has counted since then. */
  own: number
}

interface LimitedKey {
  readonly orgId: string
  readonly id: string
  /** Undefined: as many as the operator sets. */
  readonly evaluationsPerMonth: number | undefined
}

interface ClientKeyQuotasParts {
  readonly sql: Reader
  readonly pending: PendingUsage
  readonly clock: Clock
  readonly logicalClock: LogicalClock
  readonly standard: number
}

export class ClientKeyQuotas {
  readonly #sql: Reader
  readonly #pending: PendingUsage
  readonly #clock: Clock
  readonly #logicalClock: LogicalClock
  readonly #counts: CoherentCache<Count>
  readonly #loads = new Map<string, Promise<Count>>()
  /** Maximum evaluations per month of a key that has no other. */
  readonly standard: number

  constructor(parts: ClientKeyQuotasParts) {
    this.#sql = parts.sql
    this.#pending = parts.pending
    this.#clock = parts.clock
    this.#logicalClock = parts.logicalClock
    this.#counts = new CoherentCache({ max: maxInMemory, logicalClock: parts.logicalClock })
    this.standard = parts.standard
  }

  /** Throws RATE_LIMITED if a key is over its maximum. Returns a promise only if the store has to be read first. */
  assertWithin(key: LimitedKey): void | Promise<void> {
    const nowMs = this.#clock.now()
    const count = this.#counts.peek(key.id, noReads)
    if (count?.month !== monthOf(nowMs)) return this.#load(key).then((loaded) => this.#decide(loaded, key))
    // While the store is unavailable, the last count stands.
    if (Math.abs(nowMs - count.asOfMs) >= refreshIntervalMs) this.#load(key).catch(() => {})
    this.#decide(count, key)
  }

  #decide({ stored, own, month }: Count, { evaluationsPerMonth = this.standard }: LimitedKey): void {
    if (stored + own < evaluationsPerMonth) return
    const restSec = Math.ceil((endOfMonth(month) - this.#clock.now()) / 1_000)
    throw new ApiError(
      'RATE_LIMITED',
      'The client key has made its evaluations of this month: raise its maximum, or wait for the next month (UTC).',
      { 'retry-after': String(Math.max(1, Math.min(restSec, maxRetryAfterSec))) },
    )
  }

  /** Counts an evaluation, if the caller is a client key. */
  add(caller: string): void {
    const count = this.#counts.peek(caller, noReads)
    if (count) count.own++
  }

  #load(key: LimitedKey): Promise<Count> {
    const load = this.#loads.get(key.id) ?? this.#read(key).finally(() => this.#loads.delete(key.id))
    this.#loads.set(key.id, load)
    return load
  }

  async #read({ orgId, id }: LimitedKey): Promise<Count> {
    const asOf = this.#logicalClock.next()
    const asOfMs = this.#clock.now()
    const month = monthOf(asOfMs)
    const ownOf = (): number => this.#counts.peek(id, noReads)?.own ?? 0
    const before = ownOf()
    const [row] = await this.#usage(orgId, month, id)
    // Whether the store had those that were counted while it was read is not known: some may count twice until the next time.
    const own = Math.max(0, ownOf() - before)
    const count: Count = { month, stored: row?.evaluations ?? 0, asOfMs, own }
    this.#counts.replace(id, count, asOf)
    return count
  }

  /** Returns the evaluations of this month by key. */
  async used(orgId: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#usage(orgId, monthOf(this.#clock.now()))
    return new Map(rows.map(({ id, evaluations }) => [id, evaluations]))
  }

  async #usage(orgId: string, month: string, id?: string) {
    await this.#pending.fold(orgId)
    return usageOfClientKeys(this.#sql, orgId, month, id)
  }
}
