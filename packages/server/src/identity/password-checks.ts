/**
 * Hashes and checks passwords for the library, wherever it does so: at sign-in, and when a person who is signed in gives the
 * password again. Few hashes are computed at once, and an account whose password was wrong often takes no try for a while.
 */
import { createHmac } from 'node:crypto'
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { Fault, StoreUnavailable } from '../base/fault.ts'
import { HashingIsBusy, type Hashing } from './hashing.ts'
import { knownBrowser } from './known-browsers.ts'
import type { PasswordTries } from './password-tries.ts'
import type { SignInMethod, SignIns } from './sign-ins.ts'

/** Under the library's base path. */
export const signInPath = '/sign-in/email'
const busyWaitSec = 2

export interface PasswordChecksParts {
  readonly hashing: Hashing
  readonly tries: PasswordTries
  readonly signIns: SignIns
  readonly secret: string
}

/** Whose password is tried. */
interface Tried {
  readonly method: SignInMethod
  readonly email: string
  /** What the tries are counted by. */
  readonly account: string
}

export class PasswordChecks {
  readonly #parts: PasswordChecksParts

  constructor(parts: PasswordChecksParts) {
    this.#parts = parts
  }

  /** Throws RATE_LIMITED if too many passwords are hashed already: so early, a refusal costs little. */
  assertNotBusy(method: SignInMethod): void {
    if (!this.#parts.hashing.isFull) return
    this.#parts.signIns.add(method, 'busy')
    throw new Fault('RATE_LIMITED', tryAgainIn(busyWaitSec), { 'retry-after': String(busyWaitSec) })
  }

  /** Throws an APIError. */
  readonly hash = (password: string): Promise<string> => {
    // At sign-in the library hashes what it was given for an account that is not there, so that it takes as long.
    const isDecoy = tryGetCurrentAuthEndpointContext()?.path === signInPath
    const compute = (): Promise<string> => hashPassword(password)
    return isDecoy
      ? this.#check(compute, () => false)
      : this.#bounded(undefined, () => this.#parts.hashing.run(compute))
  }

  /** Throws an APIError. */
  readonly verify = (given: { hash: string; password: string }): Promise<boolean> =>
    this.#check(
      () => verifyPassword(given),
      (isRight) => isRight,
    )

  async #check<T>(compute: () => Promise<T>, isRight: (result: T) => boolean): Promise<T> {
    const { hashing, tries, signIns } = this.#parts
    const tried = this.#tried()
    return this.#bounded(tried, async () => {
      if (!tried) return hashing.run(compute)
      const { method, email, account } = tried
      const waitSec = await tries.count(account)
      if (waitSec > 0) {
        signIns.add(method, 'delayed', email)
        throw tooMany('TOO_MANY_WRONG_PASSWORDS', waitSec)
      }
      const result = await hashing.run(compute)
      signIns.add(method, isRight(result) ? 'succeeded' : 'failed', email)
      if (isRight(result)) await tries.forget(account)
      return result
    })
  }

  async #bounded<T>(tried: Tried | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.hashing.enter(work)
    } catch (error) {
      if (error instanceof HashingIsBusy) {
        if (tried) this.#parts.signIns.add(tried.method, 'busy')
        throw tooMany('RATE_LIMITED', busyWaitSec)
      }
      if (!(error instanceof StoreUnavailable)) throw error
      throw new APIError('SERVICE_UNAVAILABLE', {
        code: 'SERVICE_UNAVAILABLE',
        message: 'The service cannot check passwords at the moment; try again in a minute.',
      })
    }
  }

  /** Undefined where nobody's password is tried, such as by a command of the operator. */
  #tried(): Tried | undefined {
    const visit = tryGetCurrentAuthEndpointContext()
    if (!visit) return undefined
    if (visit.path !== signInPath) {
      const user = visit.context.session?.user
      return user && { method: 'confirmation', email: user.email, account: this.#accountOf('person', user.id) }
    }
    const { email } = visit.body as { email: string }
    const browser = knownBrowser(visit, email)
    const account =
      browser === undefined ? this.#accountOf('mail', email.toLowerCase()) : this.#accountOf('browser', browser)
    return { method: 'password', email: email.toLowerCase(), account }
  }

  #accountOf(kind: 'mail' | 'browser' | 'person', name: string): string {
    return createHmac('sha256', this.#parts.secret).update(`password tries ${kind} ${name}`).digest('base64url')
  }
}

function tooMany(code: string, waitSec: number): APIError {
  return new APIError('TOO_MANY_REQUESTS', { code, message: tryAgainIn(waitSec) }, { 'retry-after': String(waitSec) })
}

function tryAgainIn(seconds: number): string {
  return `Too many attempts; try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`
}
