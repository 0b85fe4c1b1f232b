/** Who can have grants, on the wire and in the store. */
import type { MachineRole, Place, Request, Role } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { groupsOf } from '../storage/access.ts'
import { serviceTokenById, serviceTokensOf, type ServiceTokenRow } from '../storage/service-tokens.ts'
import type { Reader } from '../storage/sql.ts'
import { trustById, trustsOf } from '../storage/trusts.ts'
import type { Principal } from './policy.ts'

/** A principal on the wire. */
export type NamedPrincipal = Request<'accessGrant'>['principal']

/** The people whom the identity provider knows. */
export interface People {
  /** Returns the role of a member. Throws SERVICE_UNAVAILABLE if the provider does not answer. */
  roleOf(idpOrgId: string, userId: string): Promise<Role | 'removed'>
  /** Returns the id of the member with this email. Absent with an external provider, which keeps the emails. */
  readonly memberByEmail: ((idpOrgId: string, email: string) => Promise<string | undefined>) | undefined
  /** Returns names and emails by the ids of users. Absent with an external provider, which keeps them. */
  readonly named: ((userIds: readonly string[]) => Promise<ReadonlyMap<string, PersonName>>) | undefined
  /** Returns the members. Absent with an external provider, which keeps them. */
  readonly members: ((idpOrgId: string) => Promise<Member[]>) | undefined
}

export interface PersonName {
  readonly name: string
  readonly email: string
}

export interface Member extends PersonName {
  readonly id: string
  readonly role: Role
}

/** What a principal has besides its grants. */
export interface Standing {
  /** The role of a member. */
  readonly role?: Role
  /** The role of a service token, and its place. A trust has its in the policy. */
  readonly token?: Place & { readonly role: MachineRole }
}

/** The organization of a principal, and its id at the provider. */
interface Organization {
  readonly orgId: string
  readonly idpOrgId: string
}

/** Returns a principal as the store names it. */
export function principalOf({ kind, id }: NamedPrincipal): Principal {
  return `${kind}:${kind === 'email' ? id.toLowerCase() : id}`
}

/** Returns a principal as the wire names it. */
export function namedPrincipal(principal: Principal): NamedPrincipal {
  const colon = principal.indexOf(':')
  return { kind: principal.slice(0, colon) as NamedPrincipal['kind'], id: principal.slice(colon + 1) }
}

export class Principals {
  readonly #sql: Reader
  readonly #clock: Clock
  readonly #people: People

  constructor({ sql, clock, people }: { sql: Reader; clock: Clock; people: People }) {
    this.#sql = sql
    this.#clock = clock
    this.#people = people
  }

  /** Returns the principal, which exists. An email of a member becomes that user. Throws NOT_FOUND and INVALID_REQUEST. */
  async find(organization: Organization, named: NamedPrincipal): Promise<Principal> {
    const { kind, id } = named
    if (kind === 'email') return this.#byEmail(organization, named)
    if (kind === 'user' && (await this.#people.roleOf(organization.idpOrgId, id)) === 'removed')
      throw new ApiError('NOT_FOUND', 'The organization has no member with this id: list its members.')
    if (kind === 'group' && !(await groupsOf(this.#sql, organization.orgId)).some((group) => group.id === id))
      throw noGroup()
    if (kind === 'token') await this.#tokenOf(organization, id)
    if (kind === 'trust') await this.#assertTrust(organization, id)
    return principalOf(named)
  }

  /** Returns what an existing principal can do besides its grants. */
  async standingOf(organization: Organization, principal: Principal): Promise<Standing> {
    const { kind, id } = namedPrincipal(principal)
    if (kind === 'token') {
      const { role, project_slug, stage_slug } = await this.#tokenOf(organization, id)
      return { token: { role, projectSlug: project_slug ?? undefined, stageSlug: stage_slug ?? undefined } }
    }
    if (kind === 'email') return { role: 'member' }
    const role = kind === 'user' ? await this.#people.roleOf(organization.idpOrgId, id) : 'removed'
    return role === 'removed' ? {} : { role }
  }

  /** Returns the scope of a service token; undefined for other principals. */
  async tokenScope(organization: Organization, principal: Principal): Promise<Place | undefined> {
    return principal.startsWith('token:') ? (await this.standingOf(organization, principal)).token : undefined
  }

  /** Returns the members of an organization, by their email; undefined if an external provider keeps them. */
  async members(idpOrgId: string): Promise<Member[] | undefined> {
    const members = await this.#people.members?.(idpOrgId)
    return members?.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  }

  /** Returns the principal, which may not exist anymore. An email of a member becomes that user. */
  async resolve({ idpOrgId }: Organization, named: NamedPrincipal): Promise<Principal> {
    const principal = principalOf(named)
    if (named.kind !== 'email') return principal
    const userId = await this.#people.memberByEmail?.(idpOrgId, namedPrincipal(principal).id)
    return userId === undefined ? principal : `user:${userId}`
  }

  /** Adds to the principal of each item what people call it. Leaves out what no longer exists, and people of an external provider. */
  async named<Item extends { readonly principal?: NamedPrincipal | undefined }>(
    orgId: string,
    items: readonly Item[],
  ): Promise<Item[]> {
    const nameOf = await this.#names(
      orgId,
      items.map(({ principal }) => principal).filter((each) => each !== undefined),
    )
    return items.map((item) =>
      item.principal ? { ...item, principal: { ...item.principal, ...nameOf(item.principal) } } : item,
    )
  }

  async #names(
    orgId: string,
    principals: readonly NamedPrincipal[],
  ): Promise<(named: NamedPrincipal) => Partial<PersonName>> {
    const has = (kind: NamedPrincipal['kind']): boolean => principals.some((each) => each.kind === kind)
    const userIds = [...new Set(principals.filter(({ kind }) => kind === 'user').map(({ id }) => id))]
    const [people, groups, tokens, trusts] = await Promise.all([
      userIds.length > 0 ? this.#people.named?.(userIds) : undefined,
      has('group') ? groupsOf(this.#sql, orgId) : [],
      has('token') ? serviceTokensOf(this.#sql, orgId, this.#clock.now()) : [],
      has('trust') ? trustsOf(this.#sql, orgId) : [],
    ])
    const names = new Map<string, Partial<PersonName>>()
    for (const [id, person] of people ?? []) names.set(`user:${id}`, person)
    for (const { id, name } of groups) names.set(`group:${id}`, { name })
    for (const { id, name } of tokens) names.set(`token:${id}`, { name })
    for (const { id, name } of trusts) names.set(`trust:${id}`, { name })
    return (named) => names.get(principalOf(named)) ?? {}
  }

  async #byEmail(organization: Organization, named: NamedPrincipal): Promise<Principal> {
    if (!this.#people.memberByEmail)
      throw new ApiError(
        'INVALID_REQUEST',
        'The identity provider keeps the emails of its users: name the person by the id of the user.',
      )
    if (!/^[^\s@]+@[^\s@]+$/.test(named.id))
      throw new ApiError('INVALID_REQUEST', 'principal.id is not an email (expected name@domain): correct it.')
    return this.resolve(organization, named)
  }

  async #assertTrust({ orgId }: Organization, id: string): Promise<void> {
    if ((await trustById(this.#sql, id))?.org_id !== orgId) throw noTrust()
  }

  async #tokenOf({ orgId }: Organization, id: string): Promise<ServiceTokenRow> {
    const row = await serviceTokenById(this.#sql, id, this.#clock.now())
    if (row?.org_id !== orgId)
      throw new ApiError(
        'NOT_FOUND',
        'The organization has no active service token with this ID: list the active tokens.',
      )
    return row
  }
}

export function noTrust(): ApiError {
  return new ApiError('NOT_FOUND', 'The organization has no trust with this id: list its trusts.')
}

export function noGroup(): ApiError {
  return new ApiError('NOT_FOUND', 'The organization has no group with this id: list its groups.')
}
