/**
 * The embedded identity provider, which signs people in when ROLLKEY_IDP_ISSUER is not set. The service verifies its tokens like
 * those of any provider.
 */
import { runWithTransaction } from '@better-auth/core/context'
import type { AuthContext } from 'better-auth'
import { getAdapter } from 'better-auth/db/adapter'
import { getMigrations } from 'better-auth/db/migration'
import type { JSONWebKeySet } from 'jose'
import type { LogicalClock } from '../consistency/read-validator.ts'
import type { Clock } from '../base/clock.ts'
import { ApiError, StoreUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { deletedOrganizations, wasDeleted } from '../storage/deletion.ts'
import type { Sql } from '../storage/sql.ts'
import { accountOf, changeEmail, createAccount, setupToken, deleteSetupToken, type Account } from './accounts.ts'
import { Auth, authOptions, clientAddressHeader } from './auth.ts'
import type { AccountMails } from './account-mails.ts'
import type { ClientSessions } from './client-sessions.ts'
import type { IdentityDatabase } from './database.ts'
import type { CompanyGroupReport } from '../auth/reported-groups.ts'
import { CompanyGroups } from './company/groups.ts'
import type { CompanyProvider } from './company/settings.ts'
import { EntryRules, isCompanyRequired } from './entry-rules.ts'
import { CompanySignIn } from './company/sign-in.ts'
import { Directory } from './directory.ts'
import { Hashing } from './hashing.ts'
import { resetUrl } from './links/passwords.ts'
import { setupUrl } from './links/setup.ts'
import { DatabaseFailures } from './database-failures.ts'
import { keepMark } from './marked-passwords.ts'
import { EmbeddedMembers } from './members.ts'
import { PeopleRecorder, type RecordPersonEvent } from './people-recorder.ts'
import { PasswordChecks } from './password-checks.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { PasswordTries } from './password-tries.ts'
import { basePath, companyAt, isServed, kindOf as rateLimitOf, signInPath } from './paths.ts'
import { newReset, revokeResetsOf } from './resets.ts'
import { passkeyHost } from './rules.ts'
import { removeSecondFactor, SecondFactor } from './second-factor.ts'
import { SignIns } from './sign-ins.ts'
import { watched } from './watched-adapter.ts'
import { Revocations } from './revocations.ts'

const passwordSignIn = basePath + signInPath
/** Maximum deleted organizations that one query looks up. */
const deletedPerQuery = 500

const passkeySignIn = `${basePath}/passkey/verify-authentication`

export interface EmbeddedParts {
  readonly database: IdentityDatabase
  /** The service's own database, for counts that must be exact across nodes. */
  readonly sql: Sql
  readonly logicalClock: LogicalClock
  readonly publicUrl: string
  readonly origins: readonly string[]
  readonly secret: string
  readonly signUp: 'invitation' | 'open'
  readonly organizationsPerPerson: number
  /** Maximum passwords that are hashed at once. */
  readonly maxHashes: number
  readonly hasher: PasswordHasher
  readonly clientSessions: ClientSessions
  /** Undefined without mail. */
  readonly mails: AccountMails | undefined
  /** The companies' providers at which people can sign in. */
  readonly companies: readonly CompanyProvider[]
  readonly record: RecordPersonEvent
  /** Makes people members of the groups that companies' providers report. */
  readonly reportGroups: (report: CompanyGroupReport) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** An account, and the organization that it owns. */
interface FirstOwner {
  readonly email: string
  /** Absent: a link sets it. */
  readonly password?: string | undefined
  readonly slug: string
  /** Default: the slug. */
  readonly organizationName?: string | undefined
}

interface ProviderServices {
  readonly members: EmbeddedMembers
  readonly directory: Directory
  readonly recorder: PeopleRecorder
  readonly signIns: SignIns
  readonly databaseFailures: DatabaseFailures
  readonly passwords: PasswordChecks
  readonly entryRules: EntryRules
}

export class EmbeddedProvider {
  readonly issuer: string
  readonly basePath = basePath
  readonly clientAddressHeader = clientAddressHeader
  /** Returns the rate limit of a path. */
  readonly kindOf = rateLimitOf
  readonly members: EmbeddedMembers
  readonly #database: IdentityDatabase
  readonly #auth: Auth
  readonly #directory: Directory
  readonly #recorder: PeopleRecorder
  readonly #signIns: SignIns
  readonly #databaseFailures: DatabaseFailures
  readonly #passwords: PasswordChecks
  readonly #entryRules: EntryRules
  readonly #hasher: PasswordHasher
  readonly #sql: Sql
  readonly #log: Log
  #isSetUp = false

  private constructor(
    { publicUrl, database, hasher, sql, log }: EmbeddedParts,
    auth: Auth,
    services: ProviderServices,
  ) {
    this.issuer = publicUrl
    this.members = services.members
    this.#database = database
    this.#auth = auth
    this.#directory = services.directory
    this.#recorder = services.recorder
    this.#signIns = services.signIns
    this.#databaseFailures = services.databaseFailures
    this.#passwords = services.passwords
    this.#entryRules = services.entryRules
    this.#hasher = hasher
    this.#sql = sql
    this.#log = log
  }

  static async open(parts: EmbeddedParts): Promise<EmbeddedProvider> {
    const { database } = parts
    try {
      const directory: Directory = new Directory({
        adapter: async () => (await auth.context()).adapter,
        toStoreError: (error) => database.toStoreError(error),
        wasDeleted: (slug) => wasDeleted(parts.sql, slug),
      })
      const { sql, hasher, clock, log, secret, record } = parts
      const ownerOf = async (email: string) => {
        const account = await accountOf(await auth.context(), email)
        return account && { userId: account.id, organizations: await directory.organizationsOf(account.id) }
      }
      const signIns = new SignIns({ ownerOf, record, clock, log })
      const hashing = new Hashing(parts.maxHashes)
      const tries = new PasswordTries(sql, clock)
      const passwords = new PasswordChecks({ hashing, hasher, tries, signIns, secret, clock, log })
      const secondFactor = new SecondFactor({ tries, signIns, clock })
      const companyGroups = new CompanyGroups({ ...parts, directory })
      const companySignIn = await CompanySignIn.open({ ...parts, directory, groups: companyGroups })
      const entryRules = new EntryRules({ sql, directory })
      const services = { directory, passwords, secondFactor, companySignIn, entryRules }
      const options = authOptions({ ...parts, database: database.database, ...services })
      await database.alone(async () => (await getMigrations(options)).runMigrations())
      const recorder = new PeopleRecorder(directory, parts.record, (request) => secondFactor.usedIn(request))
      const members = new EmbeddedMembers(directory, parts.clock, parts.logicalClock)
      const revocations = new Revocations(directory)
      const databaseFailures = new DatabaseFailures((error) => database.isDatabaseFailure(error))
      const adapter = watched(databaseFailures.watch(await getAdapter(options)), async (change) => {
        await entryRules.before(change)
        await recorder.before(change)
        await members.before(change)
        await revocations.before(change)
        await companyGroups.before(change)
        return keepMark(change)
      })
      const auth: Auth = new Auth({ ...options, database: () => adapter })
      await auth.context()
      return new EmbeddedProvider(parts, auth, {
        members,
        directory,
        recorder,
        signIns,
        passwords,
        entryRules,
        databaseFailures,
      })
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** Refuses a sign-in before the library reads it, which takes milliseconds, if it would be refused anyway. */
  async #refuseEarly(request: Request): Promise<Response | undefined> {
    const refusal = await this.#passwords.refusalOf(request)
    if (!refusal) this.#passwords.assertNotBusy('password')
    return refusal
  }

  /** Answers a request under `basePath`. Throws RATE_LIMITED, SERVICE_UNAVAILABLE and unexpected errors of the library. */
  async handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    if (!isServed(path)) return Response.json({ message: 'Not found' }, { status: 404 })
    const refusal = path === passwordSignIn ? await this.#refuseEarly(request) : undefined
    if (refusal) return refusal
    const answer = (): Promise<Response> => this.members.forgetChanged(() => this.#auth.handle(request))
    const company = companyAt(path)
    const response = await this.#databaseFailures.run(answer).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error
      this.#log.error('the store is unavailable', { path, reason: reasonOf(error) })
      if (company === undefined) throw new ApiError('SERVICE_UNAVAILABLE')
      return new Response(null, { status: 503 })
    })
    if (path === passkeySignIn && response.status < 500)
      this.#signIns.add('passkey', response.ok ? 'succeeded' : 'failed')
    if (response.status < 500) return response
    this.#log.error('identity provider request failed', { path })
    return company === undefined ? response : trouble(company)
  }

  /**
   * The metadata of OpenID Connect Discovery 1.0, section 3, that verification of tokens requires. Sign-in endpoints are absent,
   * because people sign in with the web application.
   */
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

  /** Returns whether there is an account. Accounts stay, so the database is asked only until there is one. */
  async isSetUp(): Promise<boolean> {
    this.#isSetUp ||= await this.#directory.hasAccounts()
    return this.#isSetUp
  }

  /** Returns the link that creates the first account; undefined if there is an account. */
  async setupLink({ renew } = { renew: false }): Promise<string | undefined> {
    if (await this.#directory.hasAccounts()) return undefined
    const context = await this.#auth.context()
    return setupUrl(this.issuer, await this.#database.alone(() => setupToken(context, renew)))
  }

  /**
   * Creates the account and the organization if they do not exist, and makes the account an owner if it is not a member. The
   * returned link sets the password of the account.
   */
  async createOwner(
    email: string,
    slug: string,
  ): Promise<{ account: Account; idpOrgId: string; passwordLink: string }> {
    const context = await this.#auth.context()
    const { account, idpOrgId } = await runWithTransaction(context.adapter, () =>
      this.#createOwner(context, { email, slug }),
    )
    return { account, idpOrgId, passwordLink: await this.#resetLinkOf(account) }
  }

  /**
   * Creates the first account, as the owner of an organization, unless there is an account. Returns whether it did, with the
   * link that sets the password if there is none.
   */
  async createFirstOwner(owner: FirstOwner): Promise<{ created: boolean; passwordLink: string | undefined }> {
    const existing = { created: false, passwordLink: undefined }
    if (await this.#directory.hasAccounts()) return existing
    const context = await this.#auth.context()
    const created = await runWithTransaction(context.adapter, () => this.#createOwner(context, owner)).catch(
      async (error: unknown) => {
        // Two nodes started at once: the store's unique index admitted one.
        if (await this.#directory.hasAccounts()) return undefined
        throw error
      },
    )
    if (created?.isNew !== true) return existing
    return {
      created: true,
      passwordLink: owner.password === undefined ? await this.#resetLinkOf(created.account) : undefined,
    }
  }

  async #createOwner(
    context: AuthContext,
    { email, password, slug, organizationName = slug }: FirstOwner,
  ): Promise<{ account: Account; idpOrgId: string; isNew: boolean }> {
    const directory = this.#directory
    const name = email.split('@')[0] ?? email
    const existing = await accountOf(context, email)
    const account = existing ?? (await createAccount(context, { email, name, password }))
    const { id } =
      (await directory.organizationBySlug(slug)) ?? (await directory.createOrganization(slug, organizationName))
    if (!(await directory.membership(id, account.id))) await directory.addMember(id, account.id, 'owner')
    await deleteSetupToken(context)
    return { account, idpOrgId: id, isNew: existing === undefined }
  }

  /** Returns the id of the member with this email. */
  async memberByEmail(orgId: string, email: string): Promise<string | undefined> {
    const userId = await this.#directory.userIdByEmail(email)
    return userId !== undefined && (await this.#directory.membership(orgId, userId)) ? userId : undefined
  }

  /** Returns the name and email address of a person. */
  person(userId: string): ReturnType<Directory['person']> {
    return this.#directory.person(userId)
  }

  /** Returns the names and email addresses of people by their ids. */
  people(userIds: readonly string[]): ReturnType<Directory['people']> {
    return this.#directory.people(userIds)
  }

  /** Returns the members of an organization. */
  membersOf(orgId: string): ReturnType<Directory['membersOf']> {
    return this.#directory.membersOf(orgId)
  }

  /** Returns the link that sets a new password of the account; undefined if there is no account. */
  async resetLink(email: string): Promise<string | undefined> {
    const account = await accountOf(await this.#auth.context(), email)
    if (!account) return undefined
    await this.#recorder.byOperator({
      event: { action: 'password.link', facts: { userId: account.id } },
      userId: account.id,
    })
    return this.#resetLinkOf(account)
  }

  /**
   * Returns the link that a person with a password asked for. Undefined: there is no such account, or a password would open none of its
   * organizations.
   */
  async resetLinkByMail(email: string): Promise<string | undefined> {
    const context = await this.#auth.context()
    const account = await accountOf(context, email)
    if (!account || !(await context.internalAdapter.findCredentialAccount(account.id))) return undefined
    try {
      await this.#entryRules.assertOtherWay(account.id)
    } catch (error) {
      if (isCompanyRequired(error)) return undefined
      throw error
    }
    await this.#recorder.byService(
      { event: { action: 'password.link', facts: { userId: account.id } }, userId: account.id },
      'reset by mail',
    )
    return this.#resetLinkOf(account)
  }

  /**
   * Changes the address of an account, which keeps everything else and gets what was granted to the new address. Links that set its
   * password stop working, because the old address may have them. `missing`: no account has the old address; `taken`: one has the new.
   */
  async setEmail(old: string, email: string): Promise<'changed' | 'missing' | 'taken'> {
    const context = await this.#auth.context()
    const account = await accountOf(context, old)
    if (!account) return 'missing'
    if (await accountOf(context, email)) return 'taken'
    const { id: userId } = account
    const after = { email: email.toLowerCase() }
    const event = { action: 'email.change', facts: { userId, before: { email: account.email }, after } } as const
    await this.#recorder.byOperator({ event, userId, memberId: userId, memberEmail: after.email })
    const isChanged = await changeEmail(context, account, after.email)
    if (isChanged) await revokeResetsOf(this.#directory, userId)
    return isChanged ? 'changed' : 'taken'
  }

  /** Removes the second factor of an account. Returns whether it had one; undefined if there is no account. */
  async removeSecondFactor(email: string): Promise<boolean | undefined> {
    const context = await this.#auth.context()
    const account = await accountOf(context, email)
    return account && removeSecondFactor(context, account.id)
  }

  async #resetLinkOf({ id }: Account): Promise<string> {
    const reset = { userId: id, requesterId: undefined }
    return resetUrl(this.issuer, (await newReset(await this.#auth.context(), this.#directory, reset)).token)
  }

  /** Runs `work` while no one of `userIds` can be removed or get another role. Throws INVALID_REQUEST unless all are owners. */
  whileOwners<Result>(idpOrgId: string, userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.#directory.withLock(userIds, async () => {
      for (const id of userIds) {
        if ((await this.#directory.membership(idpOrgId, id))?.role === 'owner') continue
        throw new ApiError(
          'INVALID_REQUEST',
          `breakGlass: ${JSON.stringify(id)} is not an owner: name owners of the organization.`,
        )
      }
      return work()
    })
  }

  /** Deletes an organization with its invitations and members, after the service has marked it as deleted. */
  async deleteOrganization(id: string): Promise<void> {
    await this.members.forgetChanged(() => this.#directory.deleteOrganization(id))
  }

  /** Revokes all signing keys, so that tokens signed until now are refused. The next token is signed with a new key. */
  async revokeSigningKeys(): Promise<void> {
    await this.#recorder.byOperator({ event: { action: 'signing-keys.revoke' } })
    await this.#directory.deleteSigningKeys()
  }

  /** Sign-ins since the start, by method and outcome separated by a space. */
  get signIns(): ReadonlyMap<string, number> {
    return this.#signIns.counts
  }

  /** Writes the log and audit entries of failed sign-ins that are due; with `isLast`, all of them. */
  flush(isLast?: boolean): Promise<void> {
    return this.#signIns.flush(isLast)
  }

  /** Deletes expired sessions, and the organizations whose deletion was interrupted. */
  async sweep(): Promise<void> {
    await this.#directory.deleteExpiredSessions(new Date())
    for (let after = '', ids: string[] = []; ; after = ids.at(-1) ?? '') {
      ids = await deletedOrganizations(this.#sql, after, deletedPerQuery)
      for (const { id } of await this.#directory.organizations(ids)) await this.deleteOrganization(id)
      if (ids.length < deletedPerQuery) return
    }
  }

  async close(): Promise<void> {
    await this.#hasher.close()
    await this.#database.close()
  }
}

/** Leads a browser that comes back from a company's provider to a page that says what happened: a person sees no answer of the API. */
function trouble(company: string): Response {
  const query = new URLSearchParams({ failure: 'trouble', method: company }).toString()
  return new Response(null, { status: 302, headers: { location: `/sign-in#${query}` } })
}
