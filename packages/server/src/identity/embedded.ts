/**
 * The embedded identity provider: what signs people in when ROLLKEY_IDP_ISSUER is not set. Its tokens are checked as
 * those of any provider.
 */
import { runWithTransaction } from '@better-auth/core/context'
import type { AuthContext } from 'better-auth'
import { getAdapter } from 'better-auth/db/adapter'
import { getMigrations } from 'better-auth/db/migration'
import type { JSONWebKeySet } from 'jose'
import type { Moments } from '../base/claims.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { accountOf, createAccount, newResetToken, setupToken, voidSetupToken, type Account } from './accounts.ts'
import { Auth, authOptions, basePath, clientAddressHeader } from './auth.ts'
import type { IdentityDatabase } from './database.ts'
import { Directory } from './directory.ts'
import { resetUrl } from './links/passwords.ts'
import { setupUrl } from './links/setup.ts'
import { EmbeddedMembers } from './members.ts'
import { Notes, type TakeNote } from './notes.ts'
import { passkeyHost } from './rules.ts'
import { watched } from './watched-adapter.ts'

/** What of the library is served: an upgrade of it adds nothing by itself. */
const served = new Set(
  [
    ['/sign-in/email', '/sign-up/email', '/sign-out', '/get-session', '/token', '/jwks', '/reset-password'],
    ['/update-user', '/change-password', '/list-sessions', '/revoke-session', '/revoke-other-sessions'],
    ['list', 'create', 'update', 'set-active', 'list-members', 'leave'].map((name) => `/organization/${name}`),
    ['invite-member', 'list-invitations', 'cancel-invitation'].map((name) => `/organization/${name}`),
    ['accept-invitation', 'reject-invitation'].map((name) => `/organization/${name}`),
    ['remove-member', 'update-member-role'].map((name) => `/organization/${name}`),
    ['generate-register-options', 'verify-registration', 'generate-authenticate-options', 'verify-authentication'].map(
      (name) => `/passkey/${name}`,
    ),
    ['list-user-passkeys', 'update-passkey', 'delete-passkey'].map((name) => `/passkey/${name}`),
    ['/links/setup', '/links/invite', '/links/invitation', '/links/sign-up', '/links/reset'],
  ]
    .flat()
    .map((path) => basePath + path),
)

export interface EmbeddedParts {
  readonly database: IdentityDatabase
  readonly moments: Moments
  readonly publicUrl: string
  readonly origins: readonly string[]
  readonly secret: string
  readonly signUp: 'invitation' | 'open'
  readonly takeNote: TakeNote
  readonly clock: Clock
  readonly log: Log
}

export class EmbeddedProvider {
  readonly issuer: string
  readonly basePath = basePath
  readonly clientAddressHeader = clientAddressHeader
  readonly members: EmbeddedMembers
  readonly #database: IdentityDatabase
  readonly #auth: Auth
  readonly #directory: Directory
  readonly #notes: Notes
  readonly #log: Log

  private constructor(parts: EmbeddedParts, auth: Auth, directory: Directory, notes: Notes) {
    this.issuer = parts.publicUrl
    this.members = new EmbeddedMembers(directory, parts.clock, parts.moments)
    this.#database = parts.database
    this.#auth = auth
    this.#directory = directory
    this.#notes = notes
    this.#log = parts.log
  }

  static async open(parts: EmbeddedParts): Promise<EmbeddedProvider> {
    const { database } = parts
    try {
      const directory: Directory = new Directory(
        async () => (await auth.context()).adapter,
        (error) => database.faultOf(error),
      )
      const options = authOptions({ ...parts, database: database.database, directory })
      await database.alone(async () => (await getMigrations(options)).runMigrations())
      const notes = new Notes(directory, parts.takeNote)
      const adapter = watched(await getAdapter(options), (change) => notes.before(change))
      const auth: Auth = new Auth({ ...options, database: () => adapter })
      await auth.context()
      return new EmbeddedProvider(parts, auth, directory, notes)
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Answers a request under `basePath`. Throws what the library did not expect. */
  async handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    if (!served.has(path)) return Response.json({ message: 'Not found' }, { status: 404 })
    const response = await this.#auth.handle(request)
    if (response.status >= 500) this.#log.error('a request to the identity provider failed', { path })
    if (request.method !== 'GET') this.members.forget()
    return response
  }

  /** OpenID Connect Discovery 1.0, section 3, as far as verification needs it: people sign in with the web application. */
  get metadata(): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}${basePath}/jwks`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }
  }

  get hasPasskeys(): boolean {
    return passkeyHost(this.issuer) !== undefined
  }

  keys(): Promise<JSONWebKeySet> {
    return this.#auth.keys()
  }

  /** The address that makes the first account; undefined when there is one. */
  async setupLink({ renew } = { renew: false }): Promise<string | undefined> {
    if (await this.#directory.hasAccounts()) return undefined
    const context = await this.#auth.context()
    return setupUrl(this.issuer, await this.#database.alone(() => setupToken(context, renew)))
  }

  /**
   * The account and the organization, made as far as they are missing; whoever is not yet a member becomes an owner. The
   * address gives the account its password.
   */
  async createOwner(
    email: string,
    slug: string,
  ): Promise<{ account: Account; idpOrgId: string; passwordLink: string }> {
    const context = await this.#auth.context()
    const owner = await runWithTransaction(context.adapter, () => this.#createOwner(context, email, slug))
    return { ...owner, passwordLink: await this.#resetLinkOf(owner.account) }
  }

  async #createOwner(
    context: AuthContext,
    email: string,
    slug: string,
  ): Promise<{ account: Account; idpOrgId: string }> {
    const directory = this.#directory
    const account = (await accountOf(context, email)) ?? (await createAccount(context, nameless(email)))
    const { id } = (await directory.organizationBySlug(slug)) ?? (await directory.createOrganization(slug, slug))
    if (!(await directory.membership(id, account.id))) await directory.addMember(id, account.id, 'owner')
    await voidSetupToken(context)
    return { account, idpOrgId: id }
  }

  /** The address that gives the account a new password; undefined if there is no account. */
  async resetLink(email: string): Promise<string | undefined> {
    const account = await accountOf(await this.#auth.context(), email)
    if (!account) return undefined
    await this.#notes.byOperator({ action: 'password.link', userId: account.id, subject: account.id })
    return this.#resetLinkOf(account)
  }

  async #resetLinkOf({ id }: Account): Promise<string> {
    return resetUrl(this.issuer, (await newResetToken(await this.#auth.context(), id)).token)
  }

  /** Tokens that were signed so far are refused from now on; the next one is signed by a new key. */
  async revokeSigningKeys(): Promise<void> {
    await this.#notes.byOperator({ action: 'signing-keys.revoke' })
    await this.#directory.deleteSigningKeys()
  }

  async sweep(): Promise<void> {
    await this.#directory.deleteExpiredSessions(new Date())
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

function nameless(email: string): { email: string; name: string; password: undefined } {
  return { email, name: email.split('@')[0] ?? email, password: undefined }
}
