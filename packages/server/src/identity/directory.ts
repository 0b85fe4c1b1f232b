/** What the embedded provider knows of people and organizations, read through better-auth's own database adapter. */
import { getCurrentAdapter } from '@better-auth/core/context'
import type { AuthContext } from 'better-auth'

const roles = ['member', 'admin', 'owner'] as const
type Role = (typeof roles)[number]

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

  /** The adapter exists only once the library is set up, which needs this directory. */
  constructor(adapter: () => Promise<Adapter>) {
    this.#adapter = adapter
  }

  /** That of the transaction under way, if there is one: the only connection is taken by it. */
  async #current() {
    return getCurrentAdapter(await this.#adapter())
  }

  async #one<Row>(model: string, where: Record<string, string>): Promise<Row | undefined> {
    const fields = Object.entries(where).map(([field, value]) => ({ field, value }))
    return (await (await this.#current()).findOne<Row>({ model, where: fields })) ?? undefined
  }

  async hasAccounts(): Promise<boolean> {
    return (await (await this.#current()).count({ model: 'user' })) > 0
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
    const rows = await (
      await this.#current()
    ).findMany<MemberRow>({
      model: 'member',
      where: [{ field: 'userId', value: userId }],
      sortBy: { field: 'createdAt', direction: 'asc' },
    })
    return rows.map(({ organizationId, role }) => ({ orgId: organizationId, role: highestRole(role) }))
  }

  async createOrganization(slug: string, name: string): Promise<OrganizationRow> {
    const data = { slug, name, createdAt: new Date() }
    return (await this.#current()).create({ model: 'organization', data })
  }

  async addMember(organizationId: string, userId: string, role: Role): Promise<void> {
    const data = { organizationId, userId, role, createdAt: new Date() }
    await (await this.#current()).create({ model: 'member', data })
  }

  /** The public and private halves of all keys that sign tokens. */
  async deleteSigningKeys(): Promise<void> {
    await (await this.#current()).deleteMany({ model: 'jwks', where: [] })
  }

  async deleteExpiredSessions(now: Date): Promise<void> {
    const where = [{ field: 'expiresAt', operator: 'lt' as const, value: now }]
    await (await this.#current()).deleteMany({ model: 'session', where })
  }
}
