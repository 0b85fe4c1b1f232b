/**
 * Counts sign-ins for the metrics. Writes failed sign-ins to the log and, if the account exists, to the audit log of its
 * organizations: at most once per minute, and before a sign-in of the account.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { PersonAuditEvent } from '../audit/person-event.ts'
import { SampledCounts, type DueCount } from '../audit/sampled-counts.ts'
import type { RecordPersonEvent } from './people-recorder.ts'

/**
 * The method of a sign-in. `confirmation`: a signed-in person enters the password again. `code`: the second factor, after the right
 * password.
 */
export type SignInMethod = 'password' | 'passkey' | 'confirmation' | 'code'
/** The outcome of a sign-in. `delayed`: the account refuses attempts for a while. `busy`: too many passwords are being hashed. */
export type SignInOutcome = 'succeeded' | 'failed' | 'delayed' | 'busy'

interface RefusedOutcome {
  readonly method: SignInMethod
  readonly outcome: SignInOutcome
}

interface FailedSignIn {
  readonly method: SignInMethod
  readonly email: string
}

/** Returns the account of an email address, if there is one. */
type AccountOwner = (email: string) => Promise<Pick<PersonAuditEvent, 'userId' | 'organizations'> | undefined>

export interface SignInsParts {
  readonly ownerOf: AccountOwner
  readonly record: RecordPersonEvent
  readonly clock: Clock
  readonly log: Log
}

export class SignIns {
  /** Sign-ins since the start, by method and outcome separated by a space. */
  readonly counts = new Map<string, number>()
  readonly #parts: SignInsParts
  readonly #refused: SampledCounts<RefusedOutcome>
  readonly #failed: SampledCounts<FailedSignIn>

  constructor(parts: SignInsParts) {
    this.#parts = parts
    this.#refused = new SampledCounts(parts.clock)
    this.#failed = new SampledCounts(parts.clock)
  }

  /** Counts a sign-in. `email`: the address of the account, if it is known. */
  add(method: SignInMethod, outcome: SignInOutcome, email?: string): void {
    const name = `${method} ${outcome}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    if (outcome === 'succeeded') return
    this.#refused.add(name, { method, outcome })
    if (email !== undefined && outcome !== 'busy') this.#failed.add(`${method} ${email}`, { method, email })
  }

  /** Writes the failed sign-ins of an account, so that a sign-in that follows them is recorded after them. */
  async recordFailed(email: string): Promise<void> {
    await this.#record(this.#failed.due(true).filter(({ kind }) => kind.email === email))
  }

  /** Writes the entries that are due; with `isLast`, all entries. */
  async flush(isLast = false): Promise<void> {
    for (const { kind, take } of this.#refused.due(isLast)) {
      this.#parts.log.info('sign-ins were refused', { name: kind.method, code: kind.outcome, count: take() })
    }
    await this.#record(this.#failed.due(isLast))
  }

  async #record(failed: readonly DueCount<FailedSignIn>[]): Promise<void> {
    for (const { kind, take, giveBack } of failed) {
      const times = take()
      if (times === 0) continue
      try {
        const owner = await this.#parts.ownerOf(kind.email)
        const event = { action: 'sign-in.failed', facts: { method: kind.method } } as const
        if (owner) await this.#parts.record({ ...owner, event, times })
      } catch (error) {
        giveBack(times)
        throw error
      }
    }
  }
}
