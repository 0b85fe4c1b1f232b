/**
 * Configures better-auth, the library of the embedded identity provider, with only the features that the product needs: accounts
 * with passwords and passkeys, organizations with roles, and JWTs that the service verifies like those of any provider.
 */
import { tryGetCurrentAuthEndpointContext } from '@better-auth/core/context'
import { passkey } from '@better-auth/passkey'
import { betterAuth, type AuthContext, type BetterAuthOptions, type GenericEndpointContext } from 'better-auth'
import { APIError } from 'better-auth/api'
import { jwt } from 'better-auth/plugins/jwt'
import { organization } from 'better-auth/plugins/organization'
import type { JSONWebKeySet } from 'jose'
import type { Log } from '../base/log.ts'
import type { AccountMails } from './account-mails.ts'
import type { ClientSessions } from './client-sessions.ts'
import { signInClaim } from '../auth/provider-tokens.ts'
import { signInOf, type EntryRules } from './entry-rules.ts'
import { company } from './company/plugin.ts'
import type { CompanySignIn } from './company/sign-in.ts'
import { authenticatedAt, confirmation, formerSession } from './confirmation.ts'
import type { Directory } from './directory.ts'
import { knownBrowsers } from './known-browsers.ts'
import { acceptInvitation, invitationUrl } from './links/invitations.ts'
import { links } from './links/plugin.ts'
import { mailChoices } from './mail-choices.ts'
import { createOrganization } from './organizations.ts'
import type { PasswordChecks } from './password-checks.ts'
import { basePath, signInPath } from './paths.ts'
import { requestRules } from './request-rules.ts'
import type { SecondFactor } from './second-factor.ts'
import { maxMembers, passkeyHost, passwordLength } from './rules.ts'

/** The header that only the HTTP server sets. A client's header of this name is dropped. */
export const clientAddressHeader = 'x-rollkey-client-address'

/**
 * The parameter of /token that names the organization of the token by its slug, so that each browser tab has its own organization.
 * Without it, the token is for the session's active organization.
 */
const organizationParameter = 'organizationSlug'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

export interface AuthParts {
  readonly database: NonNullable<BetterAuthOptions['database']>
  readonly directory: Directory
  readonly publicUrl: string
  /** Origins whose pages may sign people in. */
  readonly origins: readonly string[]
  /** The secret that signs cookies and encrypts signing keys. */
  readonly secret: string
  readonly signUp: 'invitation' | 'open'
  /** Maximum organizations that one person may own; 0: unlimited. */
  readonly organizationsPerPerson: number
  readonly passwords: PasswordChecks
  readonly secondFactor: SecondFactor
  readonly clientSessions: ClientSessions
  readonly companySignIn: CompanySignIn
  readonly entryRules: EntryRules
  /** Undefined without mail. */
  readonly mails: AccountMails | undefined
  readonly log: Log
}

interface OrganizationIdentity {
  readonly id: string
  readonly slug: string
}

type SessionRow = Parameters<typeof authenticatedAt>[0]

async function claimsOf(
  directory: Directory,
  { id, slug }: OrganizationIdentity,
  session: SessionRow,
): Promise<Record<string, string>> {
  return { org_id: id, org_slug: slug, [signInClaim]: await signInOf(directory, session, slug) }
}

/**
 * Returns the user's organization with this slug. Searches only the user's current organizations, so the refusal does not
 * disclose whether another organization has the slug.
 */
async function ownOrganization(directory: Directory, userId: string, slug: unknown): Promise<OrganizationIdentity> {
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
        // The time of the person's last authentication.
        const authTime = Math.floor(authenticatedAt(session).getTime() / 1_000)
        const requestedSlug: unknown = tryGetCurrentAuthEndpointContext()?.query?.[organizationParameter]
        if (requestedSlug !== undefined) {
          const requested = await ownOrganization(directory, user.id, requestedSlug)
          return { auth_time: authTime, ...(await claimsOf(directory, requested, session)) }
        }
        // The session may name an organization from which the user was removed.
        const active: unknown = session['activeOrganizationId']
        const membership = typeof active === 'string' ? await directory.membership(active, user.id) : undefined
        return {
          auth_time: authTime,
          ...(membership && (await claimsOf(directory, { id: membership.orgId, slug: membership.orgSlug }, session))),
        }
      },
    },
  })
}

function organizations({ directory, organizationsPerPerson, companySignIn, mails, publicUrl, secret }: AuthParts) {
  const plugin = organization({
    creatorRole: 'owner',
    membershipLimit: maxMembers,
    invitationLimit: 1_000,
    invitationExpiresIn: 2 * day,
    cancelPendingInvitationsOnReInvite: true,
    disableOrganizationDeletion: true,
    ...(mails && {
      async sendInvitationEmail({ id, email, organization: { slug }, inviter: { userId } }) {
        await mails.invited({ id, email, orgSlug: slug, inviterId: userId, link: invitationUrl(publicUrl, secret, id) })
      },
    }),
    organizationHooks: {
      async beforeUpdateOrganization({ organization: { slug } }) {
        if (slug !== undefined)
          throw new APIError('BAD_REQUEST', { message: 'A slug cannot be changed: change the name instead.' })
      },
    },
  })
  const own = {
    createOrganization: createOrganization(directory, organizationsPerPerson),
    acceptInvitation: acceptInvitation(directory, companySignIn.groups),
  }
  return { ...plugin, endpoints: { ...plugin.endpoints, ...own } }
}

function passkeys({ publicUrl, origins }: AuthParts) {
  const rpID = passkeyHost(publicUrl)
  return rpID === undefined ? [] : [passkey({ rpID, rpName: 'Rollkey', origin: [...origins] })]
}

/** Returns a logger for errors only. It logs only the text before the first colon, because messages may quote the request. */
function logger(log: Log): NonNullable<BetterAuthOptions['logger']> {
  return {
    level: 'error',
    log: (_, message) => log.error('identity provider reported an error', { reason: message.split(':')[0] ?? '' }),
  }
}

const sessionFields = {
  /** The way the person signed in: password, passkey or the name of a company's provider. */
  method: { type: 'string', required: false, input: false },
  /** The organization for which it is a sign-in at the company: its slug, or `*` for any. Empty or null: for none. */
  companyOf: { type: 'string', required: false, input: false },
  /** When the person proved who they are, if that was not at the start of the session. */
  authenticatedAt: { type: 'date', required: false, input: false },
  /** The groups that the provider reported to a person who comes to an invitation, as a JSON list. */
  invitationGroups: { type: 'string', required: false, input: false },
  /** Until when the person may add a first passkey (`confirmation.ts`). */
  firstPasskeyUntil: { type: 'date', required: false, input: false },
} as const

interface NewSession {
  readonly userId: string
  readonly method?: unknown
  readonly companyOf?: unknown
}

/** Returns the fields of a new session. Throws an APIError if the person may not begin one in this way. */
async function newSession(
  { secondFactor, entryRules, directory }: AuthParts,
  session: NewSession,
  endpoint: GenericEndpointContext | null,
): Promise<{ data: NewSession & { activeOrganizationId: string | null } }> {
  // Without it, no one knows whether the session needs a second factor.
  if (!endpoint) throw new Error('A session can only begin in an endpoint')
  if (endpoint.path === signInPath) await secondFactor.assertPassed(session.userId, endpoint.context, endpoint.request)
  const [first] = await directory.rolesOf(session.userId)
  const isPasskey = endpoint.path.startsWith('/passkey/')
  // Who confirms in another way is still the one who signed in with a passkey or at the company.
  const former = await formerSession(endpoint, session.userId)
  const method = session.method ?? (isPasskey || former?.['method'] === 'passkey' ? 'passkey' : 'password')
  const companyOf = session.companyOf ?? former?.['companyOf'] ?? ''
  if (companyOf === '') await entryRules.assertOtherWay(session.userId)
  return { data: { ...session, method, companyOf, activeOrganizationId: first?.orgId ?? null } }
}

export function authOptions(parts: AuthParts) {
  const { database, directory, publicUrl, origins, secret, signUp } = parts
  const { passwords, secondFactor, companySignIn, entryRules, log } = parts
  return {
    appName: 'Rollkey',
    database,
    baseURL: publicUrl,
    basePath,
    secret,
    trustedOrigins: [...origins],
    telemetry: { enabled: false },
    logger: logger(log),
    // By default the library prints unexpected errors to the console, with the complete message of the database.
    onAPIError: { throw: true },
    // The HTTP server applies rate limits before a request gets here (`identity/paths.ts`), which costs no query.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: 'rollkey',
      // The library turns both checks off by default for some values of NODE_ENV.
      disableOriginCheck: false,
      disableCSRFCheck: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    verification: { storeIdentifier: 'hashed' as const },
    emailAndPassword: {
      enabled: true,
      disableSignUp: signUp !== 'open',
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      password: { hash: passwords.hash, verify: passwords.verify },
    },
    // Endpoints that require a fresh sign-in check it themselves (confirmation.ts). The library would also require one to list sessions.
    session: {
      freshAge: 0,
      additionalFields: sessionFields,
    },
    databaseHooks: {
      session: {
        create: {
          before: (session: NewSession, endpoint: GenericEndpointContext | null) =>
            newSession(parts, session, endpoint),
        },
      },
    },
    plugins: [
      requestRules,
      confirmation(directory),
      entryRules.plugin(),
      organizations(parts),
      tokens(parts),
      links(parts),
      company(companySignIn, directory),
      knownBrowsers(parts.mails),
      mailChoices(parts.mails),
      secondFactor.plugin(),
      ...passkeys(parts),
    ],
  } satisfies BetterAuthOptions
}

/** The configured library. */
export class Auth {
  readonly #auth: ReturnType<typeof betterAuth<ReturnType<typeof authOptions>>>

  constructor(options: ReturnType<typeof authOptions>) {
    this.#auth = betterAuth(options)
  }

  handle(request: Request): Promise<Response> {
    return this.#auth.handler(request)
  }

  /** Returns the context of the library's endpoints, with the general type that its functions accept. */
  async context(): Promise<AuthContext> {
    return (await this.#auth.$context) as unknown as AuthContext
  }

  keys(): Promise<JSONWebKeySet> {
    return this.#auth.api.getJwks()
  }
}
