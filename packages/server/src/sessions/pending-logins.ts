/**
 * Limits the logins from one IP address that await approval. Anyone can cause such a row in the store without a credential,
 * so the number is limited. Each node counts in memory for itself, and no address is stored.
 */
import { ApiError } from '../base/api-error.ts'

interface Pending {
  readonly address: string
  readonly expiresAtMs: number
}

const tooManyWait =
  'Too many logins from this IP address await approval: approve or deny some, or wait until they expire.'
/** Maximum logins in memory. Beyond it, the oldest are no longer counted. */
const maxInMemory = 100_000

export class PendingLogins {
  readonly #maxOfAddress: number
  /** Logins by id, oldest first. The oldest is also the first to expire. */
  readonly #byId = new Map<string, Pending>()
  readonly #byAddress = new Map<string, Set<string>>()

  constructor(maxOfAddress: number) {
    this.#maxOfAddress = maxOfAddress
  }

  /** Counts a login. Throws RATE_LIMITED if too many from its address already await approval. */
  add(id: string, pending: Pending, nowMs: number): void {
    const { address } = pending
    this.#forgetOld(nowMs)
    const ofAddress = this.#byAddress.get(address) ?? new Set()
    if (ofAddress.size >= this.#maxOfAddress) throw this.#tooMany(ofAddress, nowMs)
    this.#byId.set(id, pending)
    this.#byAddress.set(address, ofAddress.add(id))
  }

  /** Stops counting a login, which was decided or failed. */
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
