/**
 * What becomes of sign-ins: counted for the metrics; those that fail are noted in the log, and at an account that is there in
 * the audit log of its organizations, at most once a minute.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { PersonNote } from '../base/person-note.ts'
import { SampledCounts } from '../base/sampled-counts.ts'
import type { RecordNote } from './notes.ts'

/** `confirmation`: a person who is signed in gives the password again. */
export type SignInMethod = 'password' | 'passkey' | 'confirmation'
/** `delayed`: the account takes no try at this time; `busy`: too many passwords are hashed already. */
export type SignInOutcome = 'succeeded' | 'failed' | 'delayed' | 'busy'

interface RefusedOutcome {
  readonly method: SignInMethod
  readonly outcome: SignInOutcome
}

interface FailedSignIn {
  readonly method: SignInMethod
  readonly email: string
}

/** Whose account an address is, if it has one. */
type AccountOwner = (email: string) => Promise<Pick<PersonNote, 'userId' | 'organizations'> | undefined>

export interface SignInsParts {
  readonly ownerOf: AccountOwner
  readonly takeNote: RecordNote
  readonly clock: Clock
  readonly log: Log
}

export class SignIns {
  /** How many there were since the start, by method and outcome with a blank between. */
  readonly counts = new Map<string, number>()
  readonly #parts: SignInsParts
  readonly #refused: SampledCounts<RefusedOutcome>
  readonly #tried: SampledCounts<FailedSignIn>

  constructor(parts: SignInsParts) {
    this.#parts = parts
    this.#refused = new SampledCounts(parts.clock)
    this.#tried = new SampledCounts(parts.clock)
  }

  /** `email`: of the account, if it is known which one was tried. */
  add(method: SignInMethod, outcome: SignInOutcome, email?: string): void {
    const name = `${method} ${outcome}`
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
    if (outcome === 'succeeded') return
    this.#refused.add(name, { method, outcome })
    if (email !== undefined && outcome !== 'busy') this.#tried.add(`${method} ${email}`, { method, email })
  }

  /** Notes what is due; with `isLast`, all. */
  async flush(isLast = false): Promise<void> {
    for (const { kind, count, done } of this.#refused.due(isLast)) {
      this.#parts.log.info('sign-ins were refused', { name: kind.method, code: kind.outcome, count })
      done()
    }
    for (const { kind, count, done } of this.#tried.due(isLast)) {
      const owner = await this.#parts.ownerOf(kind.email)
      const note = { action: 'sign-in.failed', subject: kind.method, times: count } as const
      if (owner) await this.#parts.takeNote({ ...owner, ...note })
      done()
    }
  }
}
