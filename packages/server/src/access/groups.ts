/** Groups of people, to which roles are granted together. */
import { compareCodePoints, limits, type Request, type Response } from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
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
  renameGroup,
} from '../storage/access.ts'
import type { Reader } from '../storage/sql.ts'
import type { Access, AccessEvent } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import { revokeEvent } from './grants.ts'
import type { Principal } from './policy.ts'
import { namedPrincipal, noGroup, type Principals } from './principals.ts'

type Group = Response<'groups'>['groups'][number]

export class Groups {
  readonly #sql: Reader
  readonly #access: Access
  readonly #principals: Principals
  readonly #clock: Clock

  constructor(parts: { sql: Reader; access: Access; principals: Principals; clock: Clock }) {
    this.#sql = parts.sql
    this.#access = parts.access
    this.#principals = parts.principals
    this.#clock = parts.clock
  }

  async list(orgId: string): Promise<Group[]> {
    const groups = await groupsOf(this.#sql, orgId)
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
      .map(({ id, name, created_at_ms: createdAtMs }) => ({
        id,
        name,
        createdAtMs,
        members: (members.get(id) ?? [])
          .toSorted((a, b) => compareCodePoints(a.member, b.member))
          .map(({ principal }) => principal as Group['members'][number]),
      }))
      .toSorted((a, b) => compareCodePoints(a.name, b.name))
  }

  /** Creates a group and returns its id. Throws INVALID_REQUEST if the name is taken. */
  async create({ actor, permissions: { policy } }: ChangeRequest, name: string): Promise<string> {
    const id = newId('grp')
    if ((await groupsOf(this.#sql, policy.id)).length >= limits.groups)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has ${limits.groups} groups (the maximum): delete one that is not needed.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      if (!(await insertGroup(tx, policy.id, { id, name, created_at_ms: this.#clock.now() }))) throw taken(name)
      return [{ action: 'group.create', subject: `${id} ${name}` }]
    })
    return id
  }

  /** Renames a group. Throws NOT_FOUND, and INVALID_REQUEST if the name is taken. */
  async rename({ actor, permissions: { policy } }: ChangeRequest, id: string, name: string): Promise<void> {
    await this.#assertExists(policy.id, id)
    await this.#access.change(policy, actor, async (tx) => {
      if (!(await renameGroup(tx, policy.id, id, name))) throw taken(name)
      return [{ action: 'group.update', subject: `${id} ${name}` }]
    })
  }

  /** Deletes a group with its grants. Throws NOT_FOUND. */
  async delete({ actor, permissions: { policy } }: ChangeRequest, id: string): Promise<void> {
    const { name } = await this.#assertExists(policy.id, id)
    await this.#access.change(policy, actor, async (tx) => {
      const revoked = await deleteGrantsOf(tx, policy.id, `group:${id}`)
      const members = (await groupMembersOf(tx, policy.id)).filter((row) => row.group_id === id)
      await deleteGroup(tx, id)
      return [
        ...revoked.map(revokeEvent),
        ...members.map(({ member }): AccessEvent => ({ action: 'group.leave', subject: `${id} ${member}` })),
        { action: 'group.delete', subject: `${id} ${name}` },
      ]
    })
  }

  /** Adds and removes members. Throws NOT_FOUND, and CONFIRMATION_REQUIRED if that gives access to a protected stage. */
  async change(by: ChangeRequest, { id, add, remove }: Omit<Request<'groupMembers'>, 'orgSlug'>): Promise<void> {
    const { actor, permissions, idpOrgId } = by
    const { policy } = permissions
    await this.#assertExists(policy.id, id)
    if (add.length > 0 && policy.grantsOf(`group:${id}`).some((grant) => policy.isProtected(grant)))
      by.assertConfirmed()
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
      const events: AccessEvent[] = []
      for (const member of leaving) {
        if (await removeGroupMember(tx, id, member)) events.push({ action: 'group.leave', subject: `${id} ${member}` })
      }
      for (const member of joining) {
        const row = { groupId: id, member, nowMs: this.#clock.now(), by: actor.id }
        if (await addGroupMember(tx, row)) events.push({ action: 'group.join', subject: `${id} ${member}` })
      }
      return events
    })
  }

  async #assertExists(orgId: string, id: string): Promise<{ readonly name: string }> {
    const group = (await groupsOf(this.#sql, orgId)).find((each) => each.id === id)
    if (!group) throw noGroup()
    return group
  }
}

function taken(name: string): ApiError {
  return new ApiError('INVALID_REQUEST', `The organization already has a group ${name}: choose another name.`)
}
