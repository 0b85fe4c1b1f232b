/**
 * Slows down those who guess the password of one account, from however many addresses. Tries are counted in the store, so all
 * nodes count together. The count is made before the password is checked, so that many tries at once are counted, too. A power
 * cut may cost the last second of it, and so no try waits for the disk.
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
/** Tries without a delay. */
const freeTries = 5
const firstDelayMs = 2_000
/** The longest delay is 256 seconds: some 340 guesses a day. */
const maxDoublings = 7
/** How long the tries of an account are counted after the last one. */
export const forgetTriesAfterMs = 60 * minute

/** How long no password is checked after this number of tries in a row. */
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

  /** Counts a try. Returns 0 if it may be made, else after how many seconds. */
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

  /** The password was right. */
  async forget(account: string): Promise<void> {
    await this.#sql.tx((tx) => deletePasswordTries(tx, account), 'process')
  }
}
