/**
 * Slows down attempts to guess the password of one account, from any number of addresses. Attempts are counted in the store, so
 * all nodes share the count. They are counted before the password is checked, so concurrent attempts count too. A power failure
 * may lose the last second of counts, because no attempt waits for the disk.
 */
import type { Clock } from '../base/clock.ts'
import {
  closePasswordTries,
  countPasswordTry,
  deletePasswordTries,
  passwordTriesOpenAt,
} from '../storage/password-tries.ts'
import type { Sql } from '../storage/sql.ts'

const minute = 60_000
/** Attempts without a delay. */
const freeTries = 5
const firstDelayMs = 2_000
/** Maximum doublings of the delay. The longest delay is 256 seconds, which allows some 340 guesses per day. */
const maxDoublings = 7
/** How long after the last attempt an account's count is kept. */
export const forgetTriesAfterMs = 60 * minute

/** Returns how long the account refuses attempts after this number of consecutive attempts. */
function delayAfter(tries: number): number {
  return tries < freeTries ? 0 : firstDelayMs * 2 ** Math.min(tries - freeTries, maxDoublings)
}

export class PasswordTries {
  readonly #sql: Sql
  readonly #clock: Clock

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Counts an attempt. Returns 0 if it is allowed, otherwise the number of seconds to wait. */
  async count(account: string): Promise<number> {
    const nowMs = this.#clock.now()
    return this.#sql.tx(async (tx) => {
      const tries = await countPasswordTry(tx, account, nowMs)
      if (tries === undefined) {
        const openAtMs = (await passwordTriesOpenAt(tx, account)) ?? nowMs
        return Math.max(1, Math.ceil((openAtMs - nowMs) / 1_000))
      }
      const delayMs = delayAfter(tries)
      if (delayMs > 0) await closePasswordTries(tx, account, nowMs + delayMs)
      return 0
    }, 'process')
  }

  /** Deletes the count of an account whose password was right. */
  async forget(account: string): Promise<void> {
    await this.#sql.tx((tx) => deletePasswordTries(tx, account), 'process')
  }
}
