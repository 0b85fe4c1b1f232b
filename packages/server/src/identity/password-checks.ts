/**
 * Hashes and checks all passwords for the library: at sign-in, and when a signed-in person enters the password again. Limits how
 * many hashes run at once, and delays attempts at an account after several wrong passwords.
 */
import { createHmac } from 'node:crypto'
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { APIError } from 'better-auth/api'
import { LRUCache } from 'lru-cache'
import { countText } from '../base/count-text.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError, StoreUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { HashingBusy, type Hashing } from './hashing.ts'
import { knownBrowser } from './known-browsers.ts'
import { isMarked, withoutMark } from './marked-passwords.ts'
import { HashingFailed, type PasswordHasher } from './password-hasher.ts'
import type { PasswordTries } from './password-tries.ts'
import { signInPath } from './paths.ts'
import type { SignInMethod, SignIns } from './sign-ins.ts'

const busyRetryAfterSec = 2
const tooManyWrongCode = 'TOO_MANY_WRONG_PASSWORDS'
/**
 * How long memory decides that an account refuses attempts. After that the store is asked, because another node may have received
 * the right password.
 */
const closedCacheMs = 5_000
const maxClosed = 10_000

export interface PasswordChecksParts {
  readonly hashing: Hashing
  readonly hasher: PasswordHasher
  readonly tries: PasswordTries
  readonly signIns: SignIns
  readonly secret: string
  readonly clock: Clock
  readonly log: Log
}

/** An attempt at an account's password. */
interface PasswordAttempt {
  readonly method: SignInMethod
  readonly email: string
  /** The key under which attempts are counted. */
  readonly account: string
}

export class PasswordChecks {
  readonly #parts: PasswordChecksParts
  /** Accounts that currently refuse attempts. */
  readonly #closed = new LRUCache<string, { readonly openAtMs: number; readonly recheckAtMs: number }>({
    max: maxClosed,
  })

  constructor(parts: PasswordChecksParts) {
    this.#parts = parts
  }

  /** Throws RATE_LIMITED if too many passwords are being hashed. An early refusal costs little. */
  assertNotBusy(method: SignInMethod): void {
    if (!this.#parts.hashing.isFull) return
    this.#parts.signIns.add(method, 'busy')
    throw new ApiError('RATE_LIMITED', tryAgainIn(busyRetryAfterSec), { 'retry-after': String(busyRetryAfterSec) })
  }

  /** Returns the refusal of a sign-in at an account that refuses attempts; undefined: pass the request to the library. */
  async refusalOf(request: Request): Promise<Response | undefined> {
    const { signIns, clock } = this.#parts
    const email = await emailOf(request)
    if (email === undefined) return undefined
    const { openAtMs = 0, recheckAtMs: askAtMs = 0 } =
      this.#closed.get(this.#signInAccount(email, request.headers)) ?? {}
    const nowMs = clock.now()
    if (nowMs >= Math.min(openAtMs, askAtMs)) return undefined
    const waitSec = Math.ceil((openAtMs - nowMs) / 1_000)
    signIns.add('password', 'delayed', email.toLowerCase())
    const body = { code: tooManyWrongCode, message: tryAgainIn(waitSec) }
    return Response.json(body, { status: 429, headers: { 'retry-after': String(waitSec) } })
  }

  /** Hashes a password. Throws an APIError. */
  readonly hash = (password: string): Promise<string> => {
    // At sign-in the library hashes the password even if the account does not exist, so that both take the same time.
    const isDecoy = tryGetCurrentAuthEndpointContext()?.path === signInPath
    const compute = (): Promise<string> => this.#parts.hasher.hash(password)
    return isDecoy
      ? this.#check(compute, () => false)
      : this.#limited(undefined, () => this.#parts.hashing.run(compute))
  }

  /** Checks a password. Throws an APIError. */
  readonly verify = ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
    this.#check(
      () => this.#parts.hasher.verify({ hash: withoutMark(hash), password }),
      (isCorrect) => isCorrect,
      isMarked(hash),
    )

  /** `isHalf`: the right password is not yet a sign-in, because it needs a second factor too. */
  async #check<T>(compute: () => Promise<T>, isRight: (result: T) => boolean, isHalf = false): Promise<T> {
    const { hashing, tries, signIns, clock } = this.#parts
    const attempt = this.#attempt()
    return this.#limited(attempt, async () => {
      if (!attempt) return hashing.run(compute)
      const { method, email, account } = attempt
      const waitSec = await tries.count(account)
      if (waitSec > 0) {
        signIns.add(method, 'delayed', email)
        const nowMs = clock.now()
        this.#closed.set(account, { openAtMs: nowMs + waitSec * 1_000, recheckAtMs: nowMs + closedCacheMs })
        throw tooMany(tooManyWrongCode, waitSec)
      }
      const result = await hashing.run(compute)
      if (!isRight(result)) {
        signIns.add(method, 'failed', email)
        return result
      }
      if (!isHalf || method === 'confirmation') signIns.add(method, 'succeeded', email)
      await signIns.recordFailed(email)
      await tries.forget(account)
      return result
    })
  }

  async #limited<T>(attempt: PasswordAttempt | undefined, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.hashing.enter(work)
    } catch (error) {
      if (error instanceof HashingBusy) {
        if (attempt) this.#parts.signIns.add(attempt.method, 'busy')
        throw tooMany('RATE_LIMITED', busyRetryAfterSec)
      }
      if (error instanceof HashingFailed) this.#parts.log.error('password hashing failed', { reason: reasonOf(error) })
      else if (!(error instanceof StoreUnavailable)) throw error
      throw new APIError('SERVICE_UNAVAILABLE', {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Passwords cannot be checked at the moment: try again in a minute.',
      })
    }
  }

  /** Returns the current attempt. Undefined if the hash is not an attempt, as in a command of the operator. */
  #attempt(): PasswordAttempt | undefined {
    const context = tryGetCurrentAuthEndpointContext()
    if (!context) return undefined
    if (context.path !== signInPath) {
      const user = context.context.session?.user
      return user && { method: 'confirmation', email: user.email, account: this.#accountOf('person', user.id) }
    }
    const { email } = context.body as { email: string }
    return { method: 'password', email: email.toLowerCase(), account: this.#signInAccount(email, context.headers) }
  }

  #signInAccount(email: string, headers: Headers | undefined): string {
    const browser = knownBrowser(headers, this.#parts.secret, email)
    return browser === undefined ? this.#accountOf('mail', email.toLowerCase()) : this.#accountOf('browser', browser)
  }

  #accountOf(kind: 'mail' | 'browser' | 'person', name: string): string {
    return createHmac('sha256', this.#parts.secret).update(`password tries ${kind} ${name}`).digest('base64url')
  }
}

/** Returns the email address in a sign-in request; undefined if there is none. */
async function emailOf(request: Request): Promise<string | undefined> {
  try {
    const { email } = (await request.clone().json()) as { email?: unknown }
    return typeof email === 'string' ? email : undefined
  } catch {
    return undefined
  }
}

function tooMany(code: string, waitSec: number): APIError {
  return new APIError('TOO_MANY_REQUESTS', { code, message: tryAgainIn(waitSec) }, { 'retry-after': String(waitSec) })
}

function tryAgainIn(seconds: number): string {
  return `Too many attempts; try again in ${countText(seconds, 'second')}.`
}
