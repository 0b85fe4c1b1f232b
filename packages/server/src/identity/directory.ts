/** What the embedded provider knows of people and organizations, read through better-auth's own database adapter. */
import { getCurrentAdapter } from '@better-auth/core/context'
import { roles, type Role } from '@rollkey/contract'
import type { AuthContext } from 'better-auth'

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

interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly slug: string
}

interface InvitationRow {
  readonly organizationId: string
  readonly inviterId: string
  readonly email: string
  readonly role: Role | null
  readonly status: string
  readonly expiresAt: Date
}

type Adapter = AuthContext['adapter']

/** The library keeps several roles of a member as a list with commas; the highest counts. */
function highestRole(text: string): Role {
  const held = text.split(',')
  return roles.findLast((role) => held.includes(role)) ?? 'member'
}

/** A higher one may do more. */
export function rankOf(role: Role | null): number {
  return roles.indexOf(role ?? 'member')
}

export class Directory {
  readonly #adapter: () => Promise<Adapter>
  readonly #faultOf: (error: unknown) => unknown

  /** The adapter exists only once the library is set up, which needs this directory. */
  constructor(adapter: () => Promise<Adapter>, faultOf: (error: unknown) => unknown) {
    this.#adapter = adapter
    this.#faultOf = faultOf
  }

  /** Through the adapter of the transaction under way, if there is one: the only connection may be taken by it. */
  async #ask<T>(work: (adapter: Awaited<ReturnType<typeof getCurrentAdapter>>) => Promise<T>): Promise<T> {
    try {
      return await work(await getCurrentAdapter(await this.#adapter()))
    } catch (error) {
      throw this.#faultOf(error)
    }
  }

  async #one<Row>(model: string, where: Record<string, string>): Promise<Row | undefined> {
    const fields = Object.entries(where).map(([field, value]) => ({ field, value }))
    return (await this.#ask((adapter) => adapter.findOne<Row>({ model, where: fields }))) ?? undefined
  }

  async hasAccounts(): Promise<boolean> {
    return (await this.#ask((adapter) => adapter.count({ model: 'user' }))) > 0
  }

  organization(id: string): Promise<OrganizationRow | undefined> {
    return this.#one('organization', { id })
  }

  organizationBySlug(slug: string): Promise<OrganizationRow | undefined> {
    return this.#one('organization', { slug })
  }

  member(id: string): Promise<MemberRow | undefined> {
    return this.#one('member', { id })
  }

  invitation(id: string): Promise<InvitationRow | undefined> {
    return this.#one('invitation', { id })
  }

  async membership(organizationId: string, userId: string): Promise<Membership | undefined> {
    const row = await this.#one<MemberRow>('member', { organizationId, userId })
    const organization = row && (await this.organization(organizationId))
    return organization && { orgId: organization.id, orgSlug: organization.slug, role: highestRole(row.role) }
  }

  /** All of a user, the oldest first. */
  async rolesOf(userId: string): Promise<{ orgId: string; role: Role }[]> {
    const rows = await this.#ask((adapter) =>
      adapter.findMany<MemberRow>({
        model: 'member',
        where: [{ field: 'userId', value: userId }],
        sortBy: { field: 'createdAt', direction: 'asc' },
      }),
    )
    return rows.map(({ organizationId, role }) => ({ orgId: organizationId, role: highestRole(role) }))
  }

  /** Those of a user. */
  async organizationsOf(userId: string): Promise<OrganizationRow[]> {
    return this.organizations((await this.rolesOf(userId)).map(({ orgId }) => orgId))
  }

  /** Those of these ids; undefined: all. */
  async organizations(ids: string[] | undefined): Promise<OrganizationRow[]> {
    // PostgreSQL takes no empty list.
    if (ids?.length === 0) return []
    const where = ids && [{ field: 'id', operator: 'in' as const, value: ids }]
    return this.#ask((adapter) => adapter.findMany<OrganizationRow>({ model: 'organization', where }))
  }

  async createOrganization(slug: string, name: string): Promise<OrganizationRow> {
    const data = { slug, name, createdAt: new Date() }
    return this.#ask((adapter) => adapter.create({ model: 'organization', data }))
  }

  async addMember(organizationId: string, userId: string, role: Role): Promise<void> {
    const data = { organizationId, userId, role, createdAt: new Date() }
    await this.#ask((adapter) => adapter.create({ model: 'member', data }))
  }

  /** The public and private halves of all keys that sign tokens. */
  async deleteSigningKeys(): Promise<void> {
    await this.#ask((adapter) => adapter.deleteMany({ model: 'jwks', where: [] }))
  }

  async deleteExpiredSessions(now: Date): Promise<void> {
    const where = [{ field: 'expiresAt', operator: 'lt' as const, value: now }]
    await this.#ask((adapter) => adapter.deleteMany({ model: 'session', where }))
  }
}
