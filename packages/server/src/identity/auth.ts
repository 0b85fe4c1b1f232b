/**
 * The library behind the embedded identity provider: better-auth, with as little of it as the product needs. Accounts
 * with password and passkey, organizations with roles, and JWTs that the service checks like those of any provider.
 */
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { passkey } from '@better-auth/passkey'
import { betterAuth, type AuthContext, type BetterAuthOptions } from 'better-auth'
import { APIError } from 'better-auth/api'
import { jwt } from 'better-auth/plugins/jwt'
import { organization } from 'better-auth/plugins/organization'
import type { JSONWebKeySet } from 'jose'
import type { Log } from '../base/log.ts'
import type { ClientSessions } from './client-sessions.ts'
import { confirmation } from './confirmation.ts'
import type { Directory } from './directory.ts'
import { knownBrowsers } from './known-browsers.ts'
import { acceptInvitation } from './links/invitations.ts'
import { links } from './links/plugin.ts'
import { createOrganization } from './organizations.ts'
import type { PasswordChecks } from './password-checks.ts'
import { basePath } from './paths.ts'
import { requestRules } from './request-rules.ts'
import { maxMembers, passkeyHost, passwordLength } from './rules.ts'

/** Set by the HTTP server alone; what a client sends under this name is dropped. */
export const clientAddressHeader = 'x-rollkey-client-address'

/**
 * The parameter of /token that names the organization of the token by its slug: each browser tab acts in its own. Without
 * it, the token is for the session's active organization.
 */
const organizationParameter = 'organizationSlug'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

export interface AuthParts {
  readonly database: NonNullable<BetterAuthOptions['database']>
  readonly directory: Directory
  readonly publicUrl: string
  /** Origins whose pages may sign in. */
  readonly origins: readonly string[]
  /** Signs cookies and seals signing keys. */
  readonly secret: string
  readonly signUp: 'invitation' | 'open'
  /** Organizations that one person may own; 0: as many as they like. */
  readonly organizationsPerPerson: number
  readonly passwords: PasswordChecks
  readonly clientSessions: ClientSessions
  readonly log: Log
}

interface NamedOrganization {
  readonly id: string
  readonly slug: string
}

function claimsOf({ id, slug }: NamedOrganization): Record<string, string> {
  return { org_id: id, org_slug: slug }
}

/**
 * Returns the user's organization of this slug. Looks only among those that the user is a member of now, so that the
 * refusal is the same whether or not another organization has the slug.
 */
async function ownOrganization(directory: Directory, userId: string, slug: unknown): Promise<NamedOrganization> {
  const own = (await directory.organizationsOf(userId)).find((each) => each.slug === slug)
  if (own) return own
  throw new APIError('FORBIDDEN', {
    code: 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION',
    message: 'You are not a member of this organization: choose one of yours.',
  })
}

function tokens({ directory, publicUrl }: AuthParts) {
  return jwt({
    disableSettingJwtHeader: true,
    jwks: { keyPairConfig: { alg: 'ES256' }, rotationInterval: 30 * day, gracePeriod: hour },
    jwt: {
      issuer: publicUrl,
      audience: publicUrl,
      expirationTime: '60s',
      async definePayload({ user, session }) {
        // When the person last proved who they are.
        const authTime = Math.floor(session.createdAt.getTime() / 1_000)
        const named: unknown = tryGetCurrentAuthEndpointContext()?.query?.[organizationParameter]
        if (named !== undefined)
          return { auth_time: authTime, ...claimsOf(await ownOrganization(directory, user.id, named)) }
        // The session may still name an organization that the user was removed from.
        const active: unknown = session['activeOrganizationId']
        const membership = typeof active === 'string' ? await directory.membership(active, user.id) : undefined
        return { auth_time: authTime, ...(membership && claimsOf({ id: membership.orgId, slug: membership.orgSlug })) }
      },
    },
  })
}

function organizations({ directory, organizationsPerPerson }: AuthParts) {
  const plugin = organization({
    creatorRole: 'owner',
    membershipLimit: maxMembers,
    invitationLimit: 1_000,
    invitationExpiresIn: 2 * day,
    cancelPendingInvitationsOnReInvite: true,
    disableOrganizationDeletion: true,
    organizationHooks: {
      async beforeUpdateOrganization({ organization: { slug } }) {
        if (slug !== undefined) throw new APIError('BAD_REQUEST', { message: 'A slug never changes; a name may.' })
      },
    },
  })
  const own = {
    createOrganization: createOrganization(directory, organizationsPerPerson),
    acceptInvitation: acceptInvitation(directory),
  }
  return { ...plugin, endpoints: { ...plugin.endpoints, ...own } }
}

function passkeys({ publicUrl, origins }: AuthParts) {
  const rpID = passkeyHost(publicUrl)
  return rpID === undefined ? [] : [passkey({ rpID, rpName: 'Rollkey', origin: [...origins] })]
}

/** Library messages may quote what was sent: only what stands before the first colon, and only of errors. */
function logger(log: Log): NonNullable<BetterAuthOptions['logger']> {
  return {
    level: 'error',
    log: (_, message) => log.error('the identity provider reports an error', { reason: message.split(':')[0] ?? '' }),
  }
}

export function authOptions(parts: AuthParts) {
  const { database, directory, publicUrl, origins, secret, signUp, passwords, clientSessions, log } = parts
  return {
    appName: 'Rollkey',
    database,
    baseURL: publicUrl,
    basePath,
    secret,
    trustedOrigins: [...origins],
    telemetry: { enabled: false },
    logger: logger(log),
    // By itself the library writes what it did not expect to the console, with all that the database says of it.
    onAPIError: { throw: true },
    // The HTTP server limits the pages before a request gets here (`identity/paths.ts`): that costs no query.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: 'rollkey',
      // Both are off by default where NODE_ENV is not what the library expects.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    verification: { storeIdentifier: 'hashed' as const },
    emailAndPassword: {
      enabled: true,
      disableSignUp: signUp !== 'open',
      minPasswordLength: passwordLength.least,
      maxPasswordLength: passwordLength.most,
      password: { hash: passwords.hash, verify: passwords.verify },
    },
    // What takes a fresh sign-in says so itself (confirmation.ts); the library would also ask for one to list sessions.
    session: { freshAge: 0 },
    databaseHooks: {
      session: {
        create: {
          async before(session: { userId: string }) {
            const [first] = await directory.rolesOf(session.userId)
            return { data: { ...session, activeOrganizationId: first?.orgId ?? null } }
          },
        },
      },
    },
    plugins: [
      requestRules,
      confirmation,
      organizations(parts),
      tokens(parts),
      links(directory, publicUrl, clientSessions),
      knownBrowsers(),
      ...passkeys(parts),
    ],
  } satisfies BetterAuthOptions
}

/** The library, set up. */
export class Auth {
  readonly #auth: ReturnType<typeof betterAuth<ReturnType<typeof authOptions>>>

  constructor(options: ReturnType<typeof authOptions>) {
    this.#auth = betterAuth(options)
  }

  handle(request: Request): Promise<Response> {
    return this.#auth.handler(request)
  }

  /** What its own endpoints work with; the type without the literal options is the one that its functions take. */
  async context(): Promise<AuthContext> {
    return (await this.#auth.$context) as unknown as AuthContext
  }

  keys(): Promise<JSONWebKeySet> {
    return this.#auth.api.getJwks()
  }
}
