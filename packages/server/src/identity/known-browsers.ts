/**
 * Remembers browsers in which an account was signed in before. Their password attempts are counted separately, so attackers who
 * guess all day delay each other and not the person (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { AuthContext, BetterAuthPlugin } from 'better-auth'
import { createAuthMiddleware } from 'better-auth/api'
import { parseCookies } from 'better-auth/cookies'
import type { AccountMails } from './account-mails.ts'
import { companyCallback, signInPath } from './paths.ts'

const cookieName = 'known_browser'
/** The maximum lifetime of a cookie in browsers. */
const lifetimeSec = 400 * 24 * 60 * 60

type CookieAttributes = ReturnType<AuthContext['createAuthCookie']>['attributes']

interface BrowserRequest {
  readonly headers?: Headers | undefined
  readonly context: Pick<AuthContext, 'createAuthCookie' | 'secret'>
}

function macOf(secret: string, nonce: string, email: string): string {
  return createHmac('sha256', secret).update(`known browser ${nonce} ${email.toLowerCase()}`).digest('base64url')
}

/** Returns the id of the browser if the account was signed in with it before. */
export function knownBrowser(headers: Headers | undefined, secret: string, email: string): string | undefined {
  // With https the library adds a prefix to the name.
  const cookies = [...parseCookies(headers?.get('cookie') ?? '')].filter(([name]) => name.endsWith(cookieName))
  for (const [, value] of cookies) {
    const [nonce = '', mac = ''] = value.split('.')
    const expected = Buffer.from(macOf(secret, nonce, email))
    const actual = Buffer.from(mac)
    if (expected.length === actual.length && timingSafeEqual(expected, actual)) return nonce
  }
  return undefined
}

interface BrowserAnswer extends BrowserRequest {
  setCookie(name: string, value: string, attributes: CookieAttributes): unknown
}

/** Marks the browser of the request as known for the account. */
export function rememberBrowser(ctx: BrowserAnswer, email: string): void {
  if (knownBrowser(ctx.headers, ctx.context.secret, email) !== undefined) return
  const nonce = randomBytes(16).toString('base64url')
  const { name, attributes } = ctx.context.createAuthCookie(cookieName, { maxAge: lifetimeSec })
  ctx.setCookie(name, `${nonce}.${macOf(ctx.context.secret, nonce, email)}`, attributes)
}

/** Endpoints at which people with an account sign in. */
function isSignIn(path: string): boolean {
  return path === signInPath || path === '/passkey/verify-authentication' || path.startsWith(companyCallback)
}

export function knownBrowsers(mails: AccountMails | undefined) {
  const handler = createAuthMiddleware(async (ctx) => {
    const { newSession } = ctx.context
    if (!newSession) return
    const { id, email } = newSession.user
    const isKnown = knownBrowser(ctx.headers, ctx.context.secret, email) !== undefined
    rememberBrowser(ctx, email)
    if (!isKnown && isSignIn(ctx.path)) await mails?.signedIn(id)
  })
  return { id: 'known-browsers', hooks: { after: [{ matcher: () => true, handler }] } } satisfies BetterAuthPlugin
}
