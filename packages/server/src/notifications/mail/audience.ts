/** Who may get a mail about an organization, by the rules of this moment. */
import type { MailKind } from '@rollkey/contract'
import { Permissions } from '../../access/permissions.ts'
import { Policy, type Principal } from '../../access/policy.ts'
import type { Member } from '../../access/principals.ts'
import type { Clock } from '../../base/clock.ts'
import { groupsOf, policyRows } from '../../storage/access.ts'
import type { Reader } from '../../storage/sql.ts'
import type { MailContent } from './kinds.ts'

/** Whom a change concerns. */
type PeopleOfChange = (
  sql: Reader,
  question: { changeId: string; policy: Policy; memberIds: readonly string[]; nowMs: number },
) => Promise<{ readonly reviewers: readonly string[]; readonly authors: readonly string[] } | undefined>

export interface AudienceParts {
  readonly sql: Reader
  /** Returns the members of an organization by its id at the provider. */
  readonly membersOf: (idpOrgId: string) => Promise<readonly Member[]>
  readonly peopleOfChange: PeopleOfChange
  readonly clock: Clock
}

interface Organization {
  readonly orgId: string
  readonly idpOrgId: string
}

export class Audience {
  readonly #parts: AudienceParts

  constructor(parts: AudienceParts) {
    this.#parts = parts
  }

  /** Returns the members who may get the mail now: whom it concerns, and who may list the place that it names. */
  async of({ orgId, idpOrgId }: Organization, kind: MailKind, content: MailContent): Promise<Member[]> {
    const { sql, membersOf, clock } = this.#parts
    const policy = Policy.of(orgId, await policyRows(sql, orgId))
    if (!policy) return []
    const nowMs = clock.now()
    const members = await membersOf(idpOrgId)
    const verb = content.projectSlug === undefined ? 'manage' : 'list'
    const may = members.filter(({ id, role }) =>
      Permissions.of({ userId: id }, policy, nowMs).withRole(role).allows(verb, content),
    )
    const ids =
      kind === 'secret'
        ? await this.#ownersOf(orgId, content, policy, may)
        : await this.#concerned(kind, content, policy, may)
    return may.filter(({ id }) => ids.includes(id))
  }

  /** Returns the owner of a secret: the person with this email or the members of the group; otherwise those who manage the project. */
  async #ownersOf(
    orgId: string,
    { owner, projectSlug }: MailContent,
    policy: Policy,
    members: readonly Member[],
  ): Promise<readonly string[]> {
    const { sql, clock } = this.#parts
    const groups = owner === undefined ? [] : (await groupsOf(sql, orgId)).filter(({ name }) => name === owner)
    const inGroup = new Set<Principal>(groups.flatMap(({ id }) => policy.membersOf(`group:${id}`)))
    const owners = members.filter(
      ({ id, email }) => inGroup.has(`user:${id}`) || email.toLowerCase() === owner?.toLowerCase(),
    )
    const nowMs = clock.now()
    const managers = members.filter(({ id, role }) =>
      Permissions.of({ userId: id }, policy, nowMs).withRole(role).allows('manage', { projectSlug }),
    )
    return (owners.length > 0 ? owners : managers).map(({ id }) => id)
  }

  async #concerned(
    kind: MailKind,
    { changeId = '', createdBy = '', actor }: MailContent,
    policy: Policy,
    members: readonly Member[],
  ): Promise<readonly string[]> {
    const memberIds = members.map(({ id }) => id)
    if (kind === 'hook') return memberIds
    if (kind === 'token') {
      if (memberIds.includes(createdBy)) return [createdBy]
      return members.filter(({ role }) => role !== 'member').map(({ id }) => id)
    }
    const { sql, peopleOfChange, clock } = this.#parts
    const people = await peopleOfChange(sql, { changeId, policy, memberIds, nowMs: clock.now() })
    if (!people) return []
    return kind === 'approval' ? people.reviewers : people.authors.filter((id) => id !== actor)
  }
}
