/**
 * Limits the logins from one IP address that await approval, because anyone can create such a row in the store without a
 * credential. Each node counts in memory for itself, and no address is stored.
 */
import { ApiError } from '../base/api-error.ts'

interface Pending {
  readonly address: string
  readonly expiresAtMs: number
}

const tooManyMessage =
  'Too many logins from this IP address await approval: approve or deny some, or wait until they expire.'
/** Maximum logins in memory. Beyond it, the oldest are no longer counted. */
const maxInMemory = 100_000

export class PendingLogins {
  readonly #maxPerAddress: number
  /** Logins by id, oldest first. The oldest is also the first to expire. */
  readonly #byId = new Map<string, Pending>()
  readonly #byAddress = new Map<string, Set<string>>()

  constructor(maxPerAddress: number) {
    this.#maxPerAddress = maxPerAddress
  }

  /** Counts a login. Throws RATE_LIMITED if too many from its address already await approval. */
  add(id: string, pending: Pending, nowMs: number): void {
    const { address } = pending
    this.#forgetOld(nowMs)
    const ids = this.#byAddress.get(address) ?? new Set()
    if (ids.size >= this.#maxPerAddress) throw this.#tooMany(ids, nowMs)
    this.#byId.set(id, pending)
    this.#byAddress.set(address, ids.add(id))
  }

  /** Stops counting a login, which was decided or failed. */
  end(id: string): void {
    const { address } = this.#byId.get(id) ?? {}
    if (address === undefined) return
    this.#byId.delete(id)
    const ids = this.#byAddress.get(address)
    ids?.delete(id)
    if (ids?.size === 0) this.#byAddress.delete(address)
  }

  #forgetOld(nowMs: number): void {
    for (const [id, { expiresAtMs }] of this.#byId) {
      if (expiresAtMs > nowMs && this.#byId.size < maxInMemory) return
      this.end(id)
    }
  }

  #tooMany(ids: ReadonlySet<string>, nowMs: number): ApiError {
    const [oldest = ''] = ids
    const waitMs = (this.#byId.get(oldest)?.expiresAtMs ?? nowMs) - nowMs
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
    return new ApiError('RATE_LIMITED', tooManyMessage, { 'retry-after': String(seconds) })
  }
}
