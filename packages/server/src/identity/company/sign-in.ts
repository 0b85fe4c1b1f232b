/**
 * Decides who a person of a company's provider is here: by issuer and subject only, never by an address, which a provider may not
 * have verified or may give to someone else.
 */
import { runWithTransaction } from '@better-auth/core/context'
import { displayName } from '@rollkey/contract'
import type { AuthContext } from 'better-auth'
import { APIError } from 'better-auth/api'
import type { Claims } from '../../auth/claims.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { accountOf } from '../accounts.ts'
import type { CompanyIdentity, Directory } from '../directory.ts'
import { invitedEmail } from '../links/invitations.ts'
import { maxMembers, passkeyHost } from '../rules.ts'
import { addressOf, admits } from './admission.ts'
import type { CompanyClient } from './client.ts'
import { CompanySignInError } from './failure.ts'
import type { CompanyGroups } from './groups.ts'
import { isIssuerOf } from './issuers.ts'
import type { CompanyProvider } from './settings.ts'

interface CompanySignInParts {
  readonly companies: readonly CompanyProvider[]
  readonly directory: Directory
  readonly groups: CompanyGroups
  readonly publicUrl: string
  readonly signUp: 'invitation' | 'open'
  readonly clock: Clock
  readonly log: Log
}

/** A person who came back from a company's provider. */
export interface Arrival {
  readonly provider: CompanyProvider
  readonly claims: Claims
  /** The signed id of the invitation with which the person began. */
  readonly invitation: string | undefined
}

/** Why an admitted person did not become a member: they left before, or the organization is full. */
export type NotJoined = 'left' | 'full'

export function identityOf({ iss, sub }: Claims): CompanyIdentity {
  return { issuer: String(iss), subject: String(sub) }
}

/** Loads the client of OpenID Connect only if there are companies. */
async function clientsOf({ companies, ...parts }: CompanySignInParts): Promise<ReadonlyMap<string, CompanyClient>> {
  if (companies.length === 0) return new Map()
  const { CompanyClient: Client } = await import('./client.ts')
  return new Map(companies.map((provider) => [provider.name, new Client({ provider, ...parts })]))
}

export class CompanySignIn {
  readonly clients: ReadonlyMap<string, CompanyClient>
  readonly groups: CompanyGroups
  /** Whether people can add passkeys at the public URL. */
  readonly hasPasskeys: boolean
  readonly #directory: Directory
  readonly #isOpen: boolean
  readonly #log: Log

  private constructor(
    { directory, groups, publicUrl, signUp, log }: CompanySignInParts,
    clients: ReadonlyMap<string, CompanyClient>,
  ) {
    this.clients = clients
    this.groups = groups
    this.hasPasskeys = passkeyHost(publicUrl) !== undefined
    this.#directory = directory
    this.#isOpen = signUp === 'open'
    this.#log = log
  }

  static async open(parts: CompanySignInParts): Promise<CompanySignIn> {
    return new CompanySignIn(parts, await clientsOf(parts))
  }

  /** Returns the account of a person, which is new if the person may have one. Throws CompanySignInError. */
  async userOf(context: AuthContext, arrival: Arrival): Promise<string> {
    const identity = identityOf(arrival.claims)
    const known = await this.#directory.userOfIdentity(identity)
    if (known !== undefined) return known
    const email = await this.#newAddress(context, arrival)
    try {
      if (await accountOf(context, email)) throw new CompanySignInError('account-exists')
      // Not `createAccount`: after a conflict it asks the store again, which a transaction of PostgreSQL cannot.
      return await runWithTransaction(context.adapter, async () => {
        const user = { email, name: nameOf(arrival.claims, email), emailVerified: true }
        const { id } = await context.internalAdapter.createUser(user, { method: 'oauth' })
        await this.#directory.linkIdentity(id, identity)
        return id
      })
    } catch (error) {
      // Two requests created it at once: the store admitted one.
      const created = await this.#directory.userOfIdentity(identity)
      if (created !== undefined) return created
      if (await accountOf(context, email)) throw new CompanySignInError('account-exists')
      throw error
    }
  }

  /** Returns the address of the account that the person may create. */
  async #newAddress(context: AuthContext, { provider, claims, invitation }: Arrival): Promise<string> {
    if (invitation !== undefined) {
      const invited = await invitedEmail(this.#directory, context.secret, invitation).catch((error: unknown) => {
        throw error instanceof APIError ? new CompanySignInError('not-admitted') : error
      })
      return invited.toLowerCase()
    }
    const joins = provider.join !== undefined && admits(provider, claims)
    if (!joins && !this.#isOpen) throw new CompanySignInError('not-admitted')
    const email = addressOf(provider, claims)
    if (email === undefined) throw new CompanySignInError('no-address')
    return email
  }

  /** Links the person at the provider to a signed-in user. */
  async add(userId: string, claims: Claims): Promise<void> {
    const identity = identityOf(claims)
    const known = await this.#directory.userOfIdentity(identity)
    if (known === userId) return
    if (known !== undefined) throw new CompanySignInError('in-use')
    await this.#directory.linkIdentity(userId, identity)
  }

  /** Throws CompanySignInError if the person at the provider is not this user. */
  async assertIs(userId: string, identity: CompanyIdentity): Promise<void> {
    if ((await this.#directory.userOfIdentity(identity)) !== userId) throw new CompanySignInError('other-person')
  }

  /** Makes an admitted person a member, unless the person was one before. Returns why someone did not become one. */
  async join(userId: string, { provider, claims }: Arrival): Promise<NotJoined | undefined> {
    const { join } = provider
    if (!join || !admits(provider, claims)) return undefined
    const organization = await this.#directory.organizationBySlug(join.organization)
    if (!organization) {
      this.#log.warn('company sign-in names an organization that does not exist', { provider: provider.name })
      return undefined
    }
    return this.#directory.withLock([userId], async () => {
      const { id } = organization
      if (await this.#directory.membership(id, userId)) return undefined
      if (await this.#directory.wasMember(id, userId)) return 'left'
      if ((await this.#directory.countMembers(id)) >= maxMembers) return 'full'
      await this.#directory.addMember(id, userId, join.role)
      return undefined
    })
  }

  /** Returns what people call the provider of this issuer. */
  labelOf(issuer: string): string {
    const client = [...this.clients.values()].find(({ provider }) => isIssuerOf(provider, issuer))
    return client?.provider.label ?? issuer
  }
}

function nameOf({ name }: Claims, email: string): string {
  const parsed = displayName.safeParse(typeof name === 'string' ? name.trim() : undefined)
  return parsed.success ? parsed.data : (email.split('@')[0] ?? email)
}
