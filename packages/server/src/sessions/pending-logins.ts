/**
 * How many logins of one address wait for their approval. Each is a row of the store that anyone can have made, so their number
 * is bounded. A node counts in memory, for itself: no address is stored.
 */
import { ApiError } from '../base/api-error.ts'

interface Pending {
  readonly address: string
  readonly expiresAtMs: number
}

const tooManyWait =
  'Too many logins of this address wait for their approval: approve or deny some, or wait until they expire.'
/** Of more, the oldest are not counted any longer. */
const maxInMemory = 100_000

export class PendingLogins {
  readonly #maxOfAddress: number
  /** The oldest first, which is the first to expire. */
  readonly #byId = new Map<string, Pending>()
  readonly #byAddress = new Map<string, Set<string>>()

  constructor(maxOfAddress: number) {
    this.#maxOfAddress = maxOfAddress
  }

  /** Counts a login. Throws RATE_LIMITED if too many of the address wait already. */
  add(id: string, pending: Pending, nowMs: number): void {
    const { address } = pending
    this.#forgetOld(nowMs)
    const ofAddress = this.#byAddress.get(address) ?? new Set()
    if (ofAddress.size >= this.#maxOfAddress) throw this.#tooMany(ofAddress, nowMs)
    this.#byId.set(id, pending)
    this.#byAddress.set(address, ofAddress.add(id))
  }

  /** The login does not wait any longer. */
  end(id: string): void {
    const { address } = this.#byId.get(id) ?? {}
    if (address === undefined) return
    this.#byId.delete(id)
    const ofAddress = this.#byAddress.get(address)
    ofAddress?.delete(id)
    if (ofAddress?.size === 0) this.#byAddress.delete(address)
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
    return new ApiError('RATE_LIMITED', tooManyWait, { 'retry-after': String(seconds) })
  }
}
