/** Groups of people, to which roles are granted together. */
import { compareCodePoints, isWithin, limits, type Request, type Response } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import { companyGroup } from '../auth/reported-groups.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/random.ts'
import {
  addGroupMember,
  deleteGrantsOf,
  deleteGroup,
  groupMembersOf,
  groupsOf,
  insertGroup,
  removeGroupMember,
  removeGroupMembers,
  updateGroup,
  type GroupRow,
} from '../storage/access.ts'
import type { AuditEvent } from '../storage/audit.ts'
import type { Reader } from '../storage/sql.ts'
import type { Access } from './access.ts'
import { memberEvent } from './events.ts'
import type { ChangeRequest } from './change-request.ts'
import { revokeEvent } from './grants.ts'
import type { Permissions } from './permissions.ts'
import type { Principal } from './policy.ts'
import { namedPrincipal, noGroup, type Principals } from './principals.ts'

type Group = Response<'groups'>['groups'][number]

/** Who reports the groups of people: the external provider, or the companies' providers of these names. */
type ReportingProviders = 'external' | readonly string[]

export class Groups {
  readonly #sql: Reader
  readonly #access: Access
  readonly #principals: Principals
  readonly #clock: Clock
  readonly #reported: ReportingProviders

  constructor(parts: {
    sql: Reader
    access: Access
    principals: Principals
    clock: Clock
    reported: ReportingProviders
  }) {
    this.#sql = parts.sql
    this.#access = parts.access
    this.#principals = parts.principals
    this.#clock = parts.clock
    this.#reported = parts.reported
  }

  /** Returns the groups that the user may see. */
  async list(permissions: Permissions, userId: string): Promise<Group[]> {
    const orgId = permissions.policy.id
    const isShown = isShownTo(permissions, `user:${userId}`)
    const groups = (await groupsOf(this.#sql, orgId)).filter(({ id }) => isShown(`group:${id}`))
    const rows = await groupMembersOf(this.#sql, orgId)
    const named = await this.#principals.named(
      orgId,
      rows.map(({ group_id: groupId, member }) => ({
        groupId,
        member,
        principal: namedPrincipal(member as Principal),
      })),
    )
    const members = Map.groupBy(named, ({ groupId }) => groupId)
    return groups
      .map(({ id, name, idp_group: idpGroup, created_at_ms: createdAtMs }) => ({
        id,
        name,
        ...(idpGroup !== null && { idpGroup }),
        createdAtMs,
        members: (members.get(id) ?? [])
          .toSorted((a, b) => compareCodePoints(a.member, b.member))
          .map(({ principal }) => principal as Group['members'][number]),
      }))
      .toSorted((a, b) => compareCodePoints(a.name, b.name))
  }

  /** Creates a group and returns its id. Throws INVALID_REQUEST if the name is taken. */
  async create(
    { actor, permissions: { policy } }: ChangeRequest,
    { name, idpGroup }: Omit<Request<'groupCreate'>, 'orgSlug'>,
  ): Promise<string> {
    const id = newId('grp')
    this.#assertReported(idpGroup)
    if ((await groupsOf(this.#sql, policy.id)).length >= limits.groups)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has ${limits.groups} groups (the maximum): delete one that is not needed.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      const row = { id, name, idp_group: idpGroup ?? null, created_at_ms: this.#clock.now() }
      if (!(await insertGroup(tx, policy.id, row))) throw taken(name, idpGroup)
      return [{ action: 'group.create', facts: { groupId: id, name } }]
    })
    return id
  }

  /**
   * Renames a group, or makes it stand for another group of the provider: then its members leave it, and the provider's join with
   * their next sign-in. Throws NOT_FOUND, INVALID_REQUEST if the name is taken, and CONFIRMATION_REQUIRED if that gives access to a
   * protected stage.
   */
  async update(by: ChangeRequest, { id, ...changes }: Omit<Request<'groupUpdate'>, 'orgSlug'>): Promise<void> {
    const { actor, permissions } = by
    const { policy } = permissions
    const before = await this.#find(policy.id, id)
    const { name = before.name, idpGroup = before.idp_group } = changes
    const isMoved = idpGroup !== null && idpGroup !== before.idp_group
    this.#assertReported(isMoved ? idpGroup : undefined)
    if (isMoved) assertConfirmedMembers(by, id)
    await this.#access.change(policy, actor, async (tx) => {
      if (!(await updateGroup(tx, policy.id, { id, name, idp_group: idpGroup }))) throw taken(name, idpGroup)
      const left = isMoved ? await removeGroupMembers(tx, id) : []
      return [
        ...left.map((member) => memberEvent('group.leave', id, member as Principal)),
        { action: 'group.update', facts: { groupId: id, name } },
      ]
    })
  }

  /** Deletes a group with its grants. Throws NOT_FOUND. */
  async delete({ actor, permissions: { policy } }: ChangeRequest, id: string): Promise<void> {
    const { name } = await this.#find(policy.id, id)
    await this.#access.change(policy, actor, async (tx) => {
      const revoked = await deleteGrantsOf(tx, policy.id, `group:${id}`)
      const members = await removeGroupMembers(tx, id)
      await deleteGroup(tx, id)
      return [
        ...revoked.map(revokeEvent),
        ...members.map((member) => memberEvent('group.leave', id, member as Principal)),
        { action: 'group.delete', facts: { groupId: id, name } },
      ]
    })
  }

  /** Adds and removes members. Throws NOT_FOUND, and CONFIRMATION_REQUIRED if that gives access to a protected stage. */
  async change(by: ChangeRequest, { id, add, remove }: Omit<Request<'groupMembers'>, 'orgSlug'>): Promise<void> {
    const { actor, permissions, idpOrgId } = by
    const { policy } = permissions
    const { name } = await this.#find(policy.id, id)
    if (policy.isReported(`group:${id}`))
      throw new ApiError(
        'INVALID_REQUEST',
        `The identity provider reports the members of ${name}: add and remove them there, or disconnect the group first.`,
      )
    if (add.length > 0) assertConfirmedMembers(by, id)
    const joining: Principal[] = []
    for (const named of add) joining.push(await this.#principals.find({ orgId: policy.id, idpOrgId }, named))
    const leaving: Principal[] = []
    for (const named of remove) leaving.push(await this.#principals.resolve({ orgId: policy.id, idpOrgId }, named))
    if ((await groupMembersOf(this.#sql, policy.id)).length + joining.length > limits.groupMembers)
      throw new ApiError(
        'INVALID_REQUEST',
        `The groups would have more than ${limits.groupMembers} members in all (the maximum): remove some.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      const events: AuditEvent[] = []
      for (const member of leaving) {
        if (await removeGroupMember(tx, id, member)) events.push(memberEvent('group.leave', id, member))
      }
      for (const member of joining) {
        const row = { groupId: id, member, nowMs: this.#clock.now(), by: actor.id }
        if (await addGroupMember(tx, row)) events.push(memberEvent('group.join', id, member))
      }
      return events
    })
  }

  async #find(orgId: string, id: string): Promise<GroupRow> {
    const group = (await groupsOf(this.#sql, orgId)).find((each) => each.id === id)
    if (!group) throw noGroup()
    return group
  }

  /** Throws INVALID_REQUEST if a group would stand for one of a provider that reports none. */
  #assertReported(idpGroup: string | undefined): void {
    if (idpGroup === undefined || this.#reported === 'external') return
    if (this.#reported.length === 0)
      throw new ApiError(
        'INVALID_REQUEST',
        'No identity provider reports the groups of people: leave out idpGroup. The operator names the claim with ROLLKEY_IDP_GROUPS_CLAIM, or ROLLKEY_SIGN_IN_…_GROUPS_CLAIM.',
      )
    const isNamed = this.#reported.some((name) => idpGroup.startsWith(companyGroup(name, '')))
    if (isNamed && !idpGroup.endsWith(':')) return
    const examples = this.#reported.map((name) => companyGroup(name, '…')).join(' or ')
    throw new ApiError(
      'INVALID_REQUEST',
      `idpGroup must be the provider and its group, like ${examples}: add the provider.`,
    )
  }
}

/**
 * Returns whether a group is shown to a user: all are to those who list the organization. To others, the name of a group may say that
 * a project exists, so they see their own and those that have a grant where they manage, around it or within it.
 */
function isShownTo(permissions: Permissions, user: Principal): (group: Principal) => boolean {
  if (permissions.allows('list', {})) return () => true
  const { policy } = permissions
  const own = policy.groupsOf(user)
  const managed = permissions.places().filter((place) => permissions.allows('manage', place))
  return (group) =>
    own.includes(group) ||
    policy.grantsOf(group).some((grant) => managed.some((place) => isWithin(grant, place) || isWithin(place, grant)))
}

/** Throws CONFIRMATION_REQUIRED if new members of a group get access to a protected stage. */
function assertConfirmedMembers({ permissions: { policy }, assertConfirmed }: ChangeRequest, id: string): void {
  if (policy.grantsOf(`group:${id}`).some((grant) => policy.isProtected(grant))) assertConfirmed()
}

function taken(name: string, idpGroup?: string | null): ApiError {
  const other = idpGroup === undefined || idpGroup === null ? '' : `, or one that stands for ${idpGroup}`
  return new ApiError('INVALID_REQUEST', `The organization already has a group ${name}${other}: choose another name.`)
}
