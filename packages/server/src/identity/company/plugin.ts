/**
 * A better-auth plug-in for signing in at companies' providers. What binds the end of a sign-in to its start is in a signed cookie
 * for this provider, so that an answer is accepted only in the browser that asked, and the service stores nothing.
 */
import type { AuthContext, BetterAuthPlugin, GenericEndpointContext, User } from 'better-auth'
import { APIError, createAuthEndpoint, getSessionFromCtx, sessionMiddleware } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { z } from 'zod'
import type { Claims } from '../../auth/claims.ts'
import { confirmationLifetimeMs, confirmationMaxAgeSec } from '../../auth/confirmation.ts'
import { assertConfirmed } from '../confirmation.ts'
import { rankOf, type Directory } from '../directory.ts'
import { isCompanyRequired } from '../entry-rules.ts'
import { companyCallback } from '../paths.ts'
import { remembered } from './groups.ts'
import { companyOf } from './admission.ts'
import type { CompanyClient } from './client.ts'
import { CompanySignInError, type CompanyFailure } from './failure.ts'
import { companyName, type CompanyProvider } from './settings.ts'
import { identityOf, type CompanySignIn, type NotJoined } from './sign-in.ts'

const attemptLifetimeSec = 10 * 60
/** How far the clocks of a provider and the service may differ. */
const leewaySec = 30

/** A path of the web application: a second slash or a backslash would name another host. */
const path = z
  .string()
  .max(1_024)
  .regex(/^\/(?![/\\])[\u0021-\u007e]*$/)

const purpose = z.enum(['sign-in', 'confirm', 'add'])

const attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  purpose,
  next: path,
  invitation: z.string().optional(),
  /** The person who confirms or adds a method. */
  userId: z.string().optional(),
})
type Attempt = z.infer<typeof attempt>

function unavailable(label: string): APIError {
  return new APIError('SERVICE_UNAVAILABLE', {
    code: 'PROVIDER_UNAVAILABLE',
    message: `${label} does not answer at the moment: sign in another way, or try again in a minute.`,
  })
}

function cookieOf({ createAuthCookie }: AuthContext, name: string) {
  return createAuthCookie(`company_${name}`, { maxAge: attemptLifetimeSec })
}

/** Starts a sign-in. The answer has the address of the provider for the browser. */
function start({ clients }: CompanySignIn) {
  const body = z.object({
    provider: z.string().regex(companyName),
    purpose: purpose.default('sign-in'),
    next: path.default('/'),
    invitation: z.string().max(256).optional(),
  })
  return createAuthEndpoint('/company/sign-in', { method: 'POST', body }, async (ctx) => {
    const { provider: name, purpose: why, next, invitation } = ctx.body
    const client = clients.get(name)
    if (!client)
      throw new APIError('NOT_FOUND', {
        message: `There is no provider ${name} here: reload the page, which shows those there are.`,
      })
    const session = why === 'sign-in' ? null : await getSessionFromCtx(ctx)
    if (why !== 'sign-in' && !session) throw new APIError('UNAUTHORIZED', { message: 'Sign in first.' })
    if (why === 'add' && session) assertConfirmed(session.session)
    const { url, proof } = await client.start(why === 'confirm').catch((error: unknown) => {
      throw error instanceof CompanySignInError ? unavailable(client.provider.label) : error
    })
    const begun: Attempt = {
      ...proof,
      purpose: why,
      next,
      ...(invitation !== undefined && { invitation }),
      ...(session && { userId: session.user.id }),
    }
    const { name: cookie, attributes } = cookieOf(ctx.context, name)
    await ctx.setSignedCookie(cookie, JSON.stringify(begun), ctx.context.secret, attributes)
    return ctx.json({ url })
  })
}

/**
 * Returns the page that says why it did not finish. A person who confirms or adds a provider is signed in, and reads it on the account
 * page.
 */
function failurePage({ provider }: CompanyClient, failure: CompanyFailure, begun?: Attempt): string {
  const query = new URLSearchParams({ failure, method: provider.name }).toString()
  const isSignIn = begun === undefined || begun.purpose === 'sign-in'
  return isSignIn ? `/sign-in#${query}` : `${accountPage(begun.next)}#${query}`
}

/** Returns why a sign-in did not finish. Throws what has another reason. */
function failureOf(error: unknown): CompanyFailure {
  if (error instanceof CompanySignInError) return error.failure
  // The account at the provider is not of the company, which each of the person's organizations requires.
  if (isCompanyRequired(error)) return 'not-admitted'
  throw error
}

/** Returns the account page in the organization of the page on which the person began. */
function accountPage(next: string): string {
  return `${/^\/o\/[^/?#]+/.exec(next)?.[0] ?? ''}/account`
}

/** Returns the page that tells a person who is signed in what they must know. */
function notePage(place: string, { provider }: CompanyClient, note: NotJoined | 'first-passkey'): string {
  return `${place}#${new URLSearchParams({ note, method: provider.name }).toString()}`
}

function parsedAttempt(text: unknown): Attempt | undefined {
  try {
    return attempt.parse(JSON.parse(String(text)))
  } catch {
    return undefined
  }
}

/** Returns when the provider asked the person for credentials; the beginning of time if it does not say. */
function authenticationOf({ auth_time: seconds }: Claims): Date {
  return new Date(typeof seconds === 'number' ? seconds * 1_000 : 0)
}

/** Returns whether the provider asked just now, as it must for a confirmation. */
function wasAskedNow(claims: Claims): boolean {
  const ageSec = (Date.now() - authenticationOf(claims).getTime()) / 1_000
  return ageSec > -leewaySec && ageSec < confirmationMaxAgeSec + leewaySec
}

/** Starts the session of a person who came back from a provider. */
async function startSession(
  ctx: GenericEndpointContext,
  { provider, user }: { provider: CompanyProvider; user: User },
  claims: Claims,
  more: object = {},
): Promise<void> {
  const fields = {
    method: provider.name,
    companyOf: companyOf(provider, claims) ?? '',
    authenticatedAt: authenticationOf(claims),
    ...more,
  }
  const session = await ctx.context.internalAdapter.createSession(user.id, false, fields)
  await setSessionCookie(ctx, { session, user })
}

/** Ends a sign-in. The provider sends the browser here. */
function callback(signIn: CompanySignIn, directory: Directory, client: CompanyClient) {
  const { provider } = client

  async function finish(ctx: GenericEndpointContext, begun: Attempt | undefined): Promise<string> {
    if (!begun) throw new CompanySignInError('lost')
    const claims = await client.finish(new URL(ctx.request?.url ?? '').search, begun)
    if (begun.purpose === 'sign-in') return arrive(ctx, begun, claims)
    const current = await getSessionFromCtx(ctx)
    if (!current || current.user.id !== begun.userId) throw new CompanySignInError('other-person')
    const { user } = current
    if (begun.purpose === 'add') {
      await signIn.add(user.id, claims)
      await signIn.groups.report(user.id, provider, claims)
      return begun.next
    }
    await signIn.assertIs(user.id, identityOf(claims))
    const isConfirmed = wasAskedNow(claims)
    const mayAddPasskey = signIn.hasPasskeys && !(await directory.hasPasswordOrPasskey(user.id))
    if (!isConfirmed && !mayAddPasskey) throw new CompanySignInError('not-asked')
    await signIn.groups.report(user.id, provider, claims)
    const firstPasskeyUntil = new Date(Date.now() + confirmationLifetimeMs)
    await startSession(ctx, { provider, user }, claims, isConfirmed ? {} : { firstPasskeyUntil })
    return isConfirmed ? begun.next : notePage(accountPage(begun.next), client, 'first-passkey')
  }

  async function arrive(ctx: GenericEndpointContext, { invitation, next }: Attempt, claims: Claims): Promise<string> {
    const arrival = { provider, claims, invitation }
    const user = await ctx.context.internalAdapter.findUserById(await signIn.userOf(ctx.context, arrival))
    if (!user) throw new CompanySignInError('refused')
    const notJoined = await signIn.join(user.id, arrival)
    const names = await signIn.groups.report(user.id, provider, claims)
    const isInvited = invitation !== undefined || next.startsWith('/invitation')
    await startSession(ctx, { provider, user }, claims, isInvited ? remembered(names) : {})
    if (invitation !== undefined) return `/invitation#id=${invitation}`
    // Where the person goes otherwise, such as to an invitation, they need not know.
    const isNowhere = next === '/' && (await directory.rolesOf(user.id)).length === 0
    const isRefused = isNowhere || isWithin(next, provider.join?.organization)
    return notJoined !== undefined && isRefused ? notePage('/organizations', client, notJoined) : next
  }

  return createAuthEndpoint(`${companyCallback}${provider.name}`, { method: 'GET' }, async (ctx) => {
    const cookie = cookieOf(ctx.context, provider.name)
    const begun = parsedAttempt(await ctx.getSignedCookie(cookie.name, ctx.context.secret))
    ctx.setCookie(cookie.name, '', { ...cookie.attributes, maxAge: 0 })
    const place = await finish(ctx, begun).catch((error: unknown) => {
      return failurePage(client, failureOf(error), begun)
    })
    throw ctx.redirect(place)
  })
}

/** Returns whether a path is within an organization. */
function isWithin(place: string, slug: string | undefined): boolean {
  return slug !== undefined && `${place}/`.startsWith(`/o/${slug}/`)
}

/** Shows which providers answer. */
function status({ clients }: CompanySignIn) {
  return createAuthEndpoint('/company/status', { method: 'GET' }, async (ctx) => {
    const all = [...clients.values()].map(async (client) => ({
      name: client.provider.name,
      isReachable: await client.isReachable(),
    }))
    return ctx.json({ methods: await Promise.all(all) })
  })
}

/** Shows the ways in which the person can sign in. */
function methods(signIn: CompanySignIn, directory: Directory) {
  return createAuthEndpoint('/company/methods', { method: 'GET', use: [sessionMiddleware] }, async (ctx) => {
    const accounts = await directory.accountsOf(ctx.context.session.user.id)
    return ctx.json({
      hasPassword: accounts.some(({ providerId }) => providerId === 'credential'),
      companies: accounts
        .filter(({ providerId }) => providerId !== 'credential')
        .map(({ id, providerId, createdAt }) => ({ id, label: signIn.labelOf(providerId), createdAt })),
    })
  })
}

/** Shows owners and admins how each member can sign in. */
function memberMethods(signIn: CompanySignIn, directory: Directory) {
  const query = z.object({ organizationId: z.string() })
  const options = { method: 'GET' as const, query, use: [sessionMiddleware] }
  return createAuthEndpoint('/company/members', options, async (ctx) => {
    const { organizationId } = ctx.query
    const asker = await directory.membership(organizationId, ctx.context.session.user.id)
    if (!asker || rankOf(asker.role) < rankOf('admin'))
      throw new APIError('FORBIDDEN', {
        code: 'FORBIDDEN',
        message: 'Only owners and admins see how members sign in: ask one of them.',
      })
    const members = await directory.signInMethodsOf(organizationId)
    return ctx.json({
      members: members.map(({ issuers, ...member }) => ({
        ...member,
        companies: [...new Set(issuers.map((issuer) => signIn.labelOf(issuer)))],
      })),
    })
  })
}

/** Removes a provider from the person's ways to sign in, except the last one. */
function remove(directory: Directory) {
  const options = { method: 'POST' as const, body: z.object({ id: z.string() }), use: [sessionMiddleware] }
  return createAuthEndpoint('/company/remove', options, async (ctx) => {
    const { id: userId } = ctx.context.session.user
    await directory.withLock([userId], async () => {
      const accounts = await directory.accountsOf(userId)
      const found = accounts.find(({ id, providerId }) => id === ctx.body.id && providerId !== 'credential')
      if (!found) throw new APIError('NOT_FOUND', { message: 'This is none of your ways to sign in: reload the page.' })
      if (accounts.length + (await directory.passkeysOf(userId)).length === 1)
        throw new APIError('CONFLICT', {
          code: 'LAST_SIGN_IN_METHOD',
          message: 'This is your only way to sign in: add a passkey or another one first.',
        })
      await directory.deleteAccount(found.id)
    })
    return ctx.json({ status: true })
  })
}

export function company(signIn: CompanySignIn, directory: Directory) {
  const callbacks = [...signIn.clients].map(
    ([name, client]) => [`${name}Callback`, callback(signIn, directory, client)] as const,
  )
  return {
    id: 'company',
    schema: {
      /** People who left an organization or were removed, so that they do not join it again by themselves. */
      formerMember: {
        fields: {
          organizationId: { type: 'string', required: true, index: true },
          userId: { type: 'string', required: true, index: true },
        },
      },
    },
    endpoints: {
      companySignIn: start(signIn),
      companyStatus: status(signIn),
      companyMethods: methods(signIn, directory),
      companyRemove: remove(directory),
      companyMembers: memberMethods(signIn, directory),
      ...Object.fromEntries(callbacks),
    },
  } satisfies BetterAuthPlugin
}
