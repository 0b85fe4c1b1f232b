/**
 * A better-auth plug-in for a second factor of passwords: one-time codes of an authenticator app (RFC 6238) and recovery codes.
 * A sign-in sends the code together with the password, so there is no session before both are right (docs/decisions/0036).
 */
import { createHmac, randomBytes } from 'node:crypto'
import { getCurrentAdapter } from '@better-auth/core/context'
import { createOTP } from '@better-auth/utils/otp'
import type { AuthContext, BetterAuthPlugin } from 'better-auth'
import { APIError, createAuthEndpoint, createAuthMiddleware, sessionMiddleware } from 'better-auth/api'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { z } from 'zod'
import { countText } from '../base/count-text.ts'
import type { Clock } from '../base/clock.ts'
import { hasPassword, setMark } from './marked-passwords.ts'
import { signInPath } from './paths.ts'
import type { PasswordTries } from './password-tries.ts'
import type { SignIns } from './sign-ins.ts'

const stepMs = 30_000
/** How many steps the clock of a phone may be wrong, in either direction. */
const driftSteps = 1
/** A secret of the length that RFC 4226, section 4 recommends. */
const secretBytes = 20
const recoveryCodeCount = 10
/** 32 letters and digits, without those that look like others: a recovery code of 10 has 50 bits. */
// cspell:disable-next-line
const recoveryAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const model = 'secondFactor'

/** The second factor of a person. It counts only if it is on: once a code has shown that the app has the secret. */
interface SecondFactorRow {
  readonly id: string
  readonly userId: string
  /** Encrypted with the secret of the installation. */
  readonly secret: string
  readonly isOn: boolean
  /** The time step of the last code, in units of 30 s. A code of this or an earlier step is refused. */
  readonly lastStep: number
  /** JSON list of the MACs of unused recovery codes. */
  readonly recoveryCodes: string
}

type Context = Pick<AuthContext, 'adapter' | 'internalAdapter' | 'secret' | 'secretConfig'>

interface SecondFactorParts {
  readonly tries: PasswordTries
  readonly signIns: SignIns
  readonly clock: Clock
}

/** What a sign-in was confirmed with, for the audit log. */
type UsedFactor = 'code' | 'recovery code'

const schema = {
  [model]: {
    fields: {
      userId: { type: 'string', required: true, unique: true, references: { model: 'user', field: 'id' } },
      secret: { type: 'string', required: true },
      isOn: { type: 'boolean', required: true },
      lastStep: { type: 'number', required: true },
      recoveryCodes: { type: 'string', required: true },
    },
  },
} as const satisfies BetterAuthPlugin['schema']

const code = z.string().max(64).optional()

function wrongCode(): APIError {
  return new APIError('UNAUTHORIZED', {
    code: 'WRONG_CODE',
    message:
      'The code is wrong, was used already, or has expired: enter the one that your authenticator app shows now, or an unused recovery code.',
  })
}

/** Decides whether a sign-in with the right password also has the right code. */
export class SecondFactor {
  readonly #parts: SecondFactorParts
  /** The codes that requests brought, because the library drops fields that it does not know. */
  readonly #codes = new WeakMap<Request, string>()
  readonly #used = new WeakMap<Request, UsedFactor>()

  constructor(parts: SecondFactorParts) {
    this.#parts = parts
  }

  /** Returns what the request was confirmed with besides the password. */
  usedIn(request: Request | undefined): UsedFactor | undefined {
    return request && this.#used.get(request)
  }

  /** Throws an APIError if the person has a second factor and the request does not bring a right code. */
  async assertPassed(userId: string, context: Context, request: Request | undefined): Promise<void> {
    const row = await find(context, userId)
    if (!row?.isOn) return
    const given = request && this.#codes.get(request)
    if (!request || given === undefined)
      throw new APIError('FORBIDDEN', {
        code: 'SECOND_FACTOR_REQUIRED',
        message: 'Enter the code of your authenticator app, or a recovery code.',
      })
    const { tries, signIns } = this.#parts
    const account = createHmac('sha256', context.secret).update(`code tries ${userId}`).digest('base64url')
    const waitSec = await tries.count(account)
    if (waitSec > 0) {
      signIns.add('code', 'delayed')
      throw new APIError(
        'TOO_MANY_REQUESTS',
        {
          code: 'TOO_MANY_WRONG_CODES',
          message: `Too many wrong codes; try again in ${countText(waitSec, 'second')}.`,
        },
        { 'retry-after': String(waitSec) },
      )
    }
    const used = await this.#accept(context, row, given)
    const person = await context.internalAdapter.findUserById(userId)
    signIns.add('code', used ? 'succeeded' : 'failed', person?.email)
    if (!used) throw wrongCode()
    if (person) await signIns.recordFailed(person.email)
    this.#used.set(request, used)
    await tries.forget(account)
  }

  /** Uses up a code. Of several requests with the same code exactly one succeeds. */
  async #accept(context: Context, row: SecondFactorRow, given: string): Promise<UsedFactor | undefined> {
    const isCode = /^\d{6}$/.test(withoutSpaces(given))
    const isAccepted = isCode ? this.#useCode(context, row, given) : useRecoveryCode(context, row, given)
    return (await isAccepted) ? (isCode ? 'code' : 'recovery code') : undefined
  }

  async #useCode({ adapter, secretConfig }: Context, row: SecondFactorRow, given: string): Promise<boolean> {
    const step = await this.#stepOf(await symmetricDecrypt({ key: secretConfig, data: row.secret }), given)
    if (step === undefined) return false
    const where = [
      { field: 'id', value: row.id },
      { field: 'secret', value: row.secret },
      { field: 'lastStep', operator: 'lt' as const, value: step },
    ]
    return (await (await getCurrentAdapter(adapter)).update({ model, where, update: { lastStep: step } })) !== null
  }

  /** Returns the time step of a code; undefined if it is none of now. */
  async #stepOf(secret: string, given: string): Promise<number | undefined> {
    const now = Math.floor(this.#parts.clock.now() / stepMs)
    const otp = createOTP(secret)
    let found: number | undefined
    for (let step = now - driftSteps; step <= now + driftSteps; step++) {
      if ((await otp.hotp(step)) === withoutSpaces(given)) found = step
    }
    return found
  }

  /** The endpoints with which people turn their second factor on and off. They need a fresh confirmation (confirmation.ts). */
  plugin() {
    const takeCode = {
      matcher: ({ path }: { path?: string }) => path === signInPath,
      handler: createAuthMiddleware(async ({ body, request }) => {
        const given = code.safeParse((body as { code?: unknown } | undefined)?.code)
        if (request && given.data !== undefined) this.#codes.set(request, given.data)
      }),
    }
    return {
      id: 'second-factor',
      schema,
      endpoints: {
        readSecondFactor: readEndpoint(),
        startSecondFactor: startEndpoint(),
        enableSecondFactor: enableEndpoint((...given) => this.#useCode(...given)),
        renewRecoveryCodes: renewEndpoint(),
        removeSecondFactor: removeEndpoint(),
      },
      hooks: { before: [takeCode] },
    } satisfies BetterAuthPlugin
  }
}

function readEndpoint() {
  return createAuthEndpoint('/second-factor', { method: 'GET', use: [sessionMiddleware] }, async (ctx) => {
    const row = await find(ctx.context, ctx.context.session.user.id)
    return ctx.json({ isOn: row?.isOn === true, recoveryCodesLeft: row?.isOn ? macsOf(row).length : 0 })
  })
}

/** Creates a secret, which counts once a code has shown that the app has it. */
function startEndpoint() {
  return createAuthEndpoint('/second-factor/start', { method: 'POST', use: [sessionMiddleware] }, async (ctx) => {
    const { user } = ctx.context.session
    const adapter = await getCurrentAdapter(ctx.context.adapter)
    const row = await find(ctx.context, user.id)
    if (row?.isOn) throw isOnAlready()
    if (!(await hasPassword(adapter, user.id))) throw noPassword()
    const secret = randomBytes(secretBytes).toString('base64url')
    const sealed = await symmetricEncrypt({ key: ctx.context.secretConfig, data: secret })
    const data = { secret: sealed, isOn: false, lastStep: 0, recoveryCodes: '[]' }
    if (row) await adapter.update({ model, where: [{ field: 'id', value: row.id }], update: data })
    else await adapter.create({ model, data: { ...data, userId: user.id } })
    return ctx.json({ uri: createOTP(secret).url(ctx.context.appName, user.email) })
  })
}

type UseCode = (context: Context, row: SecondFactorRow, given: string) => Promise<boolean>

function enableEndpoint(useCode: UseCode) {
  const options = { method: 'POST' as const, body: z.object({ code }), use: [sessionMiddleware] }
  return createAuthEndpoint('/second-factor/enable', options, async (ctx) => {
    const { user, session } = ctx.context.session
    const row = await find(ctx.context, user.id)
    if (!row || row.isOn) throw row ? isOnAlready() : notStarted()
    if (!(await useCode(ctx.context, row, ctx.body.code ?? ''))) throw wrongCode()
    // Before it is on, and removed after it is off: in between, an older node refuses the password at most too often.
    if (!(await setMark(await getCurrentAdapter(ctx.context.adapter), user.id, true))) throw notStarted()
    const codes = await turnOn(ctx.context, row)
    // Like a new password: someone who knows the old one may be signed in elsewhere.
    for (const { token } of await ctx.context.internalAdapter.listSessions(user.id))
      if (token !== session.token) await ctx.context.internalAdapter.deleteSession(token)
    return ctx.json({ recoveryCodes: codes })
  })
}

function renewEndpoint() {
  const options = { method: 'POST' as const, use: [sessionMiddleware] }
  return createAuthEndpoint('/second-factor/recovery-codes', options, async (ctx) => {
    const row = await find(ctx.context, ctx.context.session.user.id)
    if (!row?.isOn) throw notStarted()
    return ctx.json({ recoveryCodes: await turnOn(ctx.context, row) })
  })
}

function removeEndpoint() {
  return createAuthEndpoint('/second-factor/remove', { method: 'POST', use: [sessionMiddleware] }, async (ctx) => {
    await removeSecondFactor(ctx.context, ctx.context.session.user.id)
    return ctx.json({ isOn: false })
  })
}

async function find({ adapter }: Pick<Context, 'adapter'>, userId: string): Promise<SecondFactorRow | undefined> {
  const where = [{ field: 'userId', value: userId }]
  return (await (await getCurrentAdapter(adapter)).findOne<SecondFactorRow>({ model, where })) ?? undefined
}

/** Removes the second factor of a person. Returns whether there was one that was on. */
export async function removeSecondFactor({ adapter }: Pick<Context, 'adapter'>, userId: string): Promise<boolean> {
  const row = await find({ adapter }, userId)
  const where = [{ field: 'userId', value: userId }]
  const current = await getCurrentAdapter(adapter)
  if (row) await current.delete({ model, where })
  await setMark(current, userId, false)
  return row?.isOn === true
}

/** Turns the second factor on, if it is not, and returns new recovery codes. Throws an APIError if it was started again. */
async function turnOn({ adapter, secret }: Context, row: SecondFactorRow): Promise<readonly string[]> {
  const codes = newRecoveryCodes()
  const recoveryCodes = JSON.stringify(codes.map((each) => macOf(secret, row.userId, each)))
  // The secret is compared too: another tab may have started again.
  const where = [
    { field: 'id', value: row.id },
    { field: 'secret', value: row.secret },
  ]
  const changed = await (
    await getCurrentAdapter(adapter)
  ).update({ model, where, update: { isOn: true, recoveryCodes } })
  if (changed === null) throw notStarted()
  return codes
}

/** Uses up a recovery code, unless another request did so first. */
async function useRecoveryCode(context: Context, row: SecondFactorRow, given: string): Promise<boolean> {
  const { adapter, secret } = context
  const mac = macOf(secret, row.userId, given)
  for (let current: SecondFactorRow | undefined = row; current && macsOf(current).includes(mac);) {
    const recoveryCodes = JSON.stringify(macsOf(current).filter((each) => each !== mac))
    const where = [
      { field: 'id', value: current.id },
      { field: 'recoveryCodes', value: current.recoveryCodes },
    ]
    if ((await (await getCurrentAdapter(adapter)).update({ model, where, update: { recoveryCodes } })) !== null)
      return true
    current = await find(context, row.userId)
  }
  return false
}

function macsOf({ recoveryCodes }: SecondFactorRow): readonly string[] {
  return JSON.parse(recoveryCodes) as string[]
}

/** A code has 50 random bits, so a MAC with the installation's secret protects it in a copy of the database. */
function macOf(secret: string, userId: string, recoveryCode: string): string {
  const text = withoutSpaces(recoveryCode).toLowerCase().replaceAll('-', '')
  return createHmac('sha256', secret).update(`recovery code ${userId} ${text}`).digest('base64url')
}

function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const text = [...randomBytes(10)].map((byte) => recoveryAlphabet[byte % 32]).join('')
    return `${text.slice(0, 5)}-${text.slice(5)}`
  })
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, '')
}

function isOnAlready(): APIError {
  return new APIError('CONFLICT', {
    code: 'SECOND_FACTOR_IS_ON',
    message: 'Your second factor is on already: remove it first to set up another app.',
  })
}

function noPassword(): APIError {
  return new APIError('CONFLICT', {
    code: 'PASSWORD_MISSING',
    message:
      'Your account has no password that a second factor could protect: ask an owner, an admin or the operator for a password link first.',
  })
}

function notStarted(): APIError {
  return new APIError('CONFLICT', {
    code: 'SECOND_FACTOR_NOT_STARTED',
    message: 'The set-up was not started, or was started again elsewhere: start again.',
  })
}
