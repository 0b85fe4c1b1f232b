/** Reads and writes the people and organizations of the embedded provider through better-auth's own database adapter. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { getCurrentAdapter, runWithTransaction } from '@better-auth/core/context'
import { roles, type Role } from '@rollkey/contract'
import type { AuthContext } from 'better-auth'
import { APIError } from 'better-auth/api'
import { KeyedMutex } from '../concurrency/keyed-mutex.ts'
import { maxMembers } from './rules.ts'

export interface Membership {
  readonly orgId: string
  readonly orgSlug: string
  readonly role: Role
}

interface MemberRow {
  readonly id: string
  readonly organizationId: string
  readonly userId: string
  readonly role: string
}

interface PasskeyRow {
  readonly id: string
  readonly name?: string | null
  readonly createdAt?: Date | null
}

/** A person at a company's provider: a subject alone names another person at each issuer. */
export interface CompanyIdentity {
  readonly issuer: string
  readonly subject: string
}

export interface AccountRow {
  readonly id: string
  readonly providerId: string
  readonly createdAt: Date
}

/** A row that belongs to a user. */
interface OfUser {
  readonly userId: string
}

/** How a member can sign in. */
export interface SignInMethods extends OfUser {
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  readonly hasSecondFactor: boolean
  /** Issuers of the companies' providers. */
  readonly issuers: readonly string[]
}

interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly slug: string
}

export interface InvitationRow {
  readonly id: string
  readonly organizationId: string
  readonly inviterId: string
  readonly email: string
  /** One role; an older version also stored lists with commas. */
  readonly role: string | null
  readonly status: string
  readonly expiresAt: Date
}

type Adapter = AuthContext['adapter']

/** Returns the highest of the roles, which the library stores as a list with commas. */
export function highestRole(text: string | null): Role {
  const listed = (text ?? '').split(',').map((role) => role.trim())
  return roles.findLast((role) => listed.includes(role)) ?? 'member'
}

/** Returns the rank of a role. A higher rank has more rights. */
export function rankOf(role: string | null): number {
  return roles.indexOf(highestRole(role))
}

/** Returns whether the inviter may offer this role. Only owners and admins may invite, and only up to their own role. */
export function mayInvite(inviter: Role | undefined, offered: string | null): boolean {
  return inviter !== undefined && rankOf(inviter) >= Math.max(rankOf('admin'), rankOf(offered))
}

/** How many ids a query names at most. */
const idsPerQuery = 1000
/** How many expired sessions a transaction deletes: some milliseconds of the embedded store. */
const deletedAtOnce = 500

export class Directory {
  readonly #adapter: () => Promise<Adapter>
  readonly #toStoreError: (error: unknown) => unknown
  readonly #wasDeleted: (slug: string) => Promise<boolean>
  readonly #mutex = new KeyedMutex()

  /**
   * `adapter` is a function, because the library creates the adapter and itself needs this directory. `wasDeleted` returns whether
   * an organization with a slug was deleted.
   */
  constructor(parts: {
    adapter: () => Promise<Adapter>
    toStoreError: (error: unknown) => unknown
    wasDeleted: (slug: string) => Promise<boolean>
  }) {
    this.#adapter = parts.adapter
    this.#toStoreError = parts.toStoreError
    this.#wasDeleted = parts.wasDeleted
  }

  /** Runs work with the adapter of the current transaction, if any, because that may hold the only connection. */
  async #withAdapter<T>(work: (adapter: Awaited<ReturnType<typeof getCurrentAdapter>>) => Promise<T>): Promise<T> {
    try {
      return await work(await getCurrentAdapter(await this.#adapter()))
    } catch (error) {
      throw this.#toStoreError(error)
    }
  }

  async #findOne<Row>(model: string, where: Record<string, string>): Promise<Row | undefined> {
    const fields = Object.entries(where).map(([field, value]) => ({ field, value }))
    return (await this.#withAdapter((adapter) => adapter.findOne<Row>({ model, where: fields }))) ?? undefined
  }

  async hasAccounts(): Promise<boolean> {
    return (await this.#withAdapter((adapter) => adapter.count({ model: 'user' }))) > 0
  }

  /** Returns the name and email address of a person. */
  async person(userId: string): Promise<{ readonly name: string; readonly email: string } | undefined> {
    const row = await this.#findOne<{ name: string; email: string }>('user', { id: userId })
    return row && { name: row.name, email: row.email }
  }

  /** Returns the names and email addresses of people by their ids. Omits ids without an account. */
  async people(userIds: readonly string[]): Promise<Map<string, { readonly name: string; readonly email: string }>> {
    const people = new Map<string, { name: string; email: string }>()
    for (let first = 0; first < userIds.length; first += idsPerQuery) {
      const value = userIds.slice(first, first + idsPerQuery)
      const where = [{ field: 'id', operator: 'in' as const, value }]
      const rows = await this.#withAdapter((adapter) =>
        adapter.findMany<{ id: string; name: string; email: string }>({ model: 'user', where, limit: value.length }),
      )
      for (const { id, name, email } of rows) people.set(id, { name, email })
    }
    return people
  }

  /** Returns the id of the account with an email in lower case. */
  async userIdByEmail(email: string): Promise<string | undefined> {
    return (await this.#findOne<{ id: string }>('user', { email }))?.id
  }

  organization(id: string): Promise<OrganizationRow | undefined> {
    return this.#findOne('organization', { id })
  }

  organizationBySlug(slug: string): Promise<OrganizationRow | undefined> {
    return this.#findOne('organization', { slug })
  }

  member(id: string): Promise<MemberRow | undefined> {
    return this.#findOne('member', { id })
  }

  invitation(id: string): Promise<InvitationRow | undefined> {
    return this.#findOne('invitation', { id })
  }

  async membership(organizationId: string, userId: string): Promise<Membership | undefined> {
    const row = await this.#findOne<MemberRow>('member', { organizationId, userId })
    const organization = row && (await this.organization(organizationId))
    return organization && { orgId: organization.id, orgSlug: organization.slug, role: highestRole(row.role) }
  }

  /**
   * Runs `work` in a transaction that locks these users and their memberships until it ends. Removals, role changes and new
   * memberships wait for it. Work for the same person is queued in memory first, so that it waits without a connection.
   */
  async withLock<T>(userIds: readonly string[], work: () => Promise<T>): Promise<T> {
    // A fixed order prevents deadlocks.
    const ids = [...new Set(userIds)].toSorted()
    const adapter = await this.#adapter()
    const transaction = async (): Promise<T> =>
      runWithTransaction(adapter, async () => {
        for (const id of ids) await this.lock(id)
        return work()
      })
    return ids.reduceRight<() => Promise<T>>((inner, id) => () => this.#mutex.run(id, inner), transaction)()
  }

  /** Locks a user in the current transaction. The writes change nothing, but every database locks the rows that it writes. */
  async lock(userId: string): Promise<void> {
    const user = { model: 'user', where: [{ field: 'id', value: userId }], update: { updatedAt: new Date() } }
    const members = { model: 'member', where: [{ field: 'userId', value: userId }], update: { userId } }
    await this.#withAdapter((adapter) => adapter.updateMany(user))
    await this.#withAdapter((adapter) => adapter.updateMany(members))
  }

  async countMembers(organizationId: string): Promise<number> {
    const where = [{ field: 'organizationId', value: organizationId }]
    return this.#withAdapter((adapter) => adapter.count({ model: 'member', where }))
  }

  /** Accepts a pending invitation. Returns true for exactly one of several callers. */
  async acceptInvitation(id: string): Promise<boolean> {
    const where = [
      { field: 'id', value: id },
      { field: 'status', value: 'pending' },
    ]
    const update = { status: 'accepted' }
    return (await this.#withAdapter((adapter) => adapter.update({ model: 'invitation', where, update }))) !== null
  }

  /** Returns the pending invitations of an inviter in an organization. */
  async invitationsBy(inviterId: string, organizationId: string): Promise<InvitationRow[]> {
    const where = [
      { field: 'inviterId', value: inviterId },
      { field: 'organizationId', value: organizationId },
      { field: 'status', value: 'pending' },
    ]
    return this.#withAdapter((adapter) => adapter.findMany<InvitationRow>({ model: 'invitation', where }))
  }

  async cancelInvitation(id: string): Promise<void> {
    const where = [
      { field: 'id', value: id },
      { field: 'status', value: 'pending' },
    ]
    await this.#withAdapter((adapter) =>
      adapter.updateMany({ model: 'invitation', where, update: { status: 'canceled' } }),
    )
  }

  /** Returns all roles of a user, oldest first. */
  async rolesOf(userId: string): Promise<{ orgId: string; role: Role }[]> {
    const rows = await this.#withAdapter((adapter) =>
      adapter.findMany<MemberRow>({
        model: 'member',
        where: [{ field: 'userId', value: userId }],
        sortBy: { field: 'createdAt', direction: 'asc' },
      }),
    )
    return rows.map(({ organizationId, role }) => ({ orgId: organizationId, role: highestRole(role) }))
  }

  /** Returns the organizations of a user. */
  async organizationsOf(userId: string): Promise<OrganizationRow[]> {
    return this.organizations((await this.rolesOf(userId)).map(({ orgId }) => orgId))
  }

  /** Returns the organizations with these ids; undefined: all. */
  async organizations(ids: string[] | undefined): Promise<OrganizationRow[]> {
    // PostgreSQL rejects an empty list.
    if (ids?.length === 0) return []
    const where = ids && [{ field: 'id', operator: 'in' as const, value: ids }]
    return this.#withAdapter((adapter) => adapter.findMany<OrganizationRow>({ model: 'organization', where }))
  }

  /** Throws an APIError if an organization with this slug was deleted: what still uses the slug must not get another one. */
  async createOrganization(slug: string, name: string, logo?: string): Promise<OrganizationRow> {
    if (await this.#wasDeleted(slug))
      throw new APIError('BAD_REQUEST', {
        code: 'ORGANIZATION_WAS_DELETED',
        message: 'An organization with this slug was deleted, and its slug is not used again: choose another slug.',
      })
    const data = { slug, name, createdAt: new Date(), ...(logo !== undefined && { logo }) }
    return this.#withAdapter((adapter) => adapter.create({ model: 'organization', data }))
  }

  /** Deletes an organization with its invitations and members, if it exists. */
  async deleteOrganization(id: string): Promise<void> {
    const ofIt = [{ field: 'organizationId', value: id }]
    await runWithTransaction(await this.#adapter(), async () => {
      await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'invitation', where: ofIt }))
      await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'member', where: ofIt }))
      await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'formerMember', where: ofIt }))
      await this.#withAdapter((adapter) =>
        adapter.deleteMany({ model: 'organization', where: [{ field: 'id', value: id }] }),
      )
    })
  }

  async addMember(organizationId: string, userId: string, role: Role): Promise<MemberRow> {
    const data = { organizationId, userId, role, createdAt: new Date() }
    return this.#withAdapter((adapter) => adapter.create({ model: 'member', data }))
  }

  /** Returns the user of an account at a company's provider. */
  async userOfIdentity({ issuer, subject }: CompanyIdentity): Promise<string | undefined> {
    const where = { providerId: issuer, accountId: subject }
    return (await this.#findOne<{ userId: string }>('account', where))?.userId
  }

  /** Links an account at a company's provider to a user. The id is derived, so that the store admits each identity once. */
  async linkIdentity(userId: string, { issuer, subject }: CompanyIdentity): Promise<void> {
    const id = createHash('sha256')
      .update(JSON.stringify([issuer, subject]))
      .digest('base64url')
    const times = { createdAt: new Date(), updatedAt: new Date() }
    const data = { id, userId, providerId: issuer, accountId: subject, ...times }
    await this.#withAdapter((adapter) => adapter.create({ model: 'account', data, forceAllowId: true }))
  }

  /** Returns the accounts through which a user signs in: the password (`credential`) and those at companies' providers. */
  async accountsOf(userId: string): Promise<AccountRow[]> {
    const where = [{ field: 'userId', value: userId }]
    return this.#withAdapter((adapter) => adapter.findMany<AccountRow>({ model: 'account', where }))
  }

  /** Returns whether a user can sign in without a company's provider. */
  async hasPasswordOrPasskey(userId: string): Promise<boolean> {
    const accounts = await this.accountsOf(userId)
    return accounts.some(({ providerId }) => providerId === 'credential') || (await this.passkeysOf(userId)).length > 0
  }

  /** Removes all accounts at companies' providers from a user. */
  async deleteIdentities(userId: string): Promise<void> {
    for (const { id, providerId } of await this.accountsOf(userId)) {
      if (providerId !== 'credential') await this.deleteAccount(id)
    }
  }

  async deleteAccount(id: string): Promise<void> {
    await this.#withAdapter((adapter) => adapter.delete({ model: 'account', where: [{ field: 'id', value: id }] }))
  }

  /** Returns whether the user was a member of the organization and left it or was removed. */
  async wasMember(organizationId: string, userId: string): Promise<boolean> {
    return (await this.#findOne('formerMember', { organizationId, userId })) !== undefined
  }

  /** Remembers that the user was a member of the organization. */
  async rememberMember(organizationId: string, userId: string): Promise<void> {
    if (await this.wasMember(organizationId, userId)) return
    const data = { organizationId, userId }
    await this.#withAdapter((adapter) => adapter.create({ model: 'formerMember', data }))
  }

  /** Deletes the verifications whose value starts or ends with a text. */
  async deleteVerifications(operator: 'starts_with' | 'ends_with', value: string): Promise<void> {
    const where = [{ field: 'value', operator, value }]
    await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'verification', where }))
  }

  /** Returns whether the password of a user has a second factor. */
  async hasSecondFactor(userId: string): Promise<boolean> {
    return (await this.#findOne<{ isOn: boolean }>('secondFactor', { userId }))?.isOn === true
  }

  /** Returns the members of an organization whose passwords have a second factor. */
  async membersWithSecondFactor(organizationId: string): Promise<string[]> {
    const members = await this.#memberIdsOf(organizationId)
    const rows = await this.#ofUsers<{ userId: string }>('secondFactor', members, { field: 'isOn', value: true })
    return rows.map(({ userId }) => userId)
  }

  /** Returns how each member of an organization can sign in. */
  async signInMethodsOf(organizationId: string): Promise<SignInMethods[]> {
    const members = await this.#memberIdsOf(organizationId)
    const accounts = Map.groupBy(await this.#ofUsers<OfUser & AccountRow>('account', members), ({ userId }) => userId)
    const withPasskey = new Set((await this.#ofUsers<OfUser>('passkey', members)).map(({ userId }) => userId))
    const withFactor = new Set(await this.membersWithSecondFactor(organizationId))
    return members.map((userId) => {
      const issuers = (accounts.get(userId) ?? []).map(({ providerId }) => providerId)
      return {
        userId,
        hasPassword: issuers.includes('credential'),
        hasPasskey: withPasskey.has(userId),
        hasSecondFactor: withFactor.has(userId),
        issuers: issuers.filter((issuer) => issuer !== 'credential'),
      }
    })
  }

  /** Returns the members of an organization, with their names and email addresses. */
  async membersOf(organizationId: string): Promise<{ id: string; name: string; email: string; role: Role }[]> {
    const members = await this.#membersOf(organizationId)
    const people = await this.people(members.map(({ userId }) => userId))
    return members.flatMap(({ userId: id, role }) => {
      const person = people.get(id)
      return person ? [{ id, ...person, role: highestRole(role) }] : []
    })
  }

  async #memberIdsOf(organizationId: string): Promise<string[]> {
    return (await this.#membersOf(organizationId)).map(({ userId }) => userId)
  }

  #membersOf(organizationId: string): Promise<MemberRow[]> {
    const where = [{ field: 'organizationId', value: organizationId }]
    return this.#withAdapter((adapter) => adapter.findMany({ model: 'member', where, limit: maxMembers }))
  }

  /** Returns the rows of a model that belong to users. */
  async #ofUsers<Row>(
    model: string,
    userIds: readonly string[],
    ...also: { field: string; value: boolean }[]
  ): Promise<Row[]> {
    const found: Row[] = []
    for (let first = 0; first < userIds.length; first += idsPerQuery) {
      const value = userIds.slice(first, first + idsPerQuery)
      const where = [{ field: 'userId', operator: 'in' as const, value }, ...also]
      // The library's default would return 100 rows. A person has few ways to sign in.
      const limit = value.length * 100
      found.push(...(await this.#withAdapter((adapter) => adapter.findMany<Row>({ model, where, limit }))))
    }
    return found
  }

  async passkeysOf(userId: string): Promise<PasskeyRow[]> {
    const where = [{ field: 'userId', value: userId }]
    return this.#withAdapter((adapter) => adapter.findMany<PasskeyRow>({ model: 'passkey', where }))
  }

  async deletePasskeys(userId: string, ids: string[]): Promise<void> {
    // PostgreSQL rejects an empty list.
    if (ids.length === 0) return
    const where = [
      { field: 'userId', value: userId },
      { field: 'id', operator: 'in' as const, value: ids },
    ]
    await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'passkey', where }))
  }

  /** Deletes the public and private halves of all keys that sign tokens. */
  async deleteSigningKeys(): Promise<void> {
    await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'jwks', where: [] }))
  }

  /** Deletes expired sessions in parts, of which there may be many after a long pause. */
  async deleteExpiredSessions(now: Date): Promise<void> {
    const where = [{ field: 'expiresAt', operator: 'lt' as const, value: now }]
    const some = { model: 'session', where, limit: deletedAtOnce, select: ['id'] }
    for (let found = deletedAtOnce; found === deletedAtOnce; await setImmediate()) {
      const value = (await this.#withAdapter((adapter) => adapter.findMany<{ id: string }>(some))).map(({ id }) => id)
      found = value.length
      if (found === 0) return
      const expired = [{ field: 'id', operator: 'in' as const, value }]
      await this.#withAdapter((adapter) => adapter.deleteMany({ model: 'session', where: expired }))
    }
  }
}
