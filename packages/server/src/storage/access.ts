/** Queries of grants, groups, roles and protected stages. */
import type { Place } from '@rollkey/contract'
import { noPlace } from '../base/place-name.ts'
import { maxPicked, pickedRows } from './picked.ts'
import type { Reader, Tx } from './sql.ts'

/** Returns the slugs of a place as columns store them. */
function slugsOf({ projectSlug = '', stageSlug = '' }: Place): [string, string] {
  return [projectSlug, stageSlug]
}

/**
 * A part of an organization's rules. `organization`: `detail` is the default role, `number` the revision. `grant`: `subject` is the
 * principal, `detail` the role, `number` the end. `member`: `subject` is the member, `detail` the id of the group. `role`: `subject`
 * is its name, `detail` its verbs. `protected`: a stage, `detail` is what it requires of changes. `idp-group`: `subject` is the group at the provider, `detail` the id of the
 * group here. `company-only`: only a sign-in at a company opens the organization. `second-factor`: only one with a second factor does. `break-glass`: `subject` is an excepted user. `trust`: `subject` is its id, `detail` its role. `report`: `subject` is a member, `number` as of when the provider's report of their groups was applied.
 */
export interface PolicyRow {
  readonly part:
    | 'organization'
    | 'grant'
    | 'member'
    | 'role'
    | 'protected'
    | 'idp-group'
    | 'trust'
    | 'report'
    | 'company-only'
    | 'second-factor'
    | 'break-glass'
  readonly subject: string
  readonly project_slug: string
  readonly stage_slug: string
  readonly detail: string
  readonly number: number | null
}

/** Returns the rules of an organization, read by one statement and thus at one revision; without its own row if it was deleted. */
export function policyRows(sql: Reader, orgId: string): Promise<PolicyRow[]> {
  return sql.all(
    `select 'organization' as part, '' as subject, '' as project_slug, '' as stage_slug, default_role as detail,
       access_revision as number
     from organizations where id = $1 and deleted_at_ms is null
     union all select 'grant', principal, project_slug, stage_slug, role, expires_at_ms from grants where org_id = $1
     union all select 'member', m.member, '', '', m.group_id, null
       from user_groups g join group_members m on m.group_id = g.id where g.org_id = $1
     union all select 'role', name, '', '', verbs, null from roles where org_id = $1
     union all select 'protected', '', p.slug, s.slug, coalesce(s.protection, ''), null
       from projects p join stages s on s.project_id = p.id where p.org_id = $1 and s.is_protected = 1
     union all select 'idp-group', idp_group, '', '', id, null from user_groups where org_id = $1 and idp_group is not null
     union all select 'trust', id, coalesce(project_slug, ''), coalesce(stage_slug, ''), role, null from trusts
       where org_id = $1
     union all select 'report', member, '', '', '', as_of_ms from group_reports where org_id = $1
     union all select 'company-only', '', '', '', '', null from organizations where id = $1 and company_sign_in = 1
     union all select 'second-factor', '', '', '', '', null from organizations where id = $1 and second_factor = 1
     union all select 'break-glass', user_id, '', '', '', null from break_glass where org_id = $1`,
    orgId,
  )
}

/** Locks an organization and increments the revision of its rules. Returns false if it was deleted. */
export async function advanceAccess(tx: Tx, orgId: string): Promise<boolean> {
  const rows = await tx.all(
    'update organizations set access_revision = access_revision + 1 where id = $1 and deleted_at_ms is null returning id',
    orgId,
  )
  return rows.length === 1
}

/**
 * Locks an organization, if its rules are still at a revision, and adds to that revision. Returns whether it did. With 0, the rules
 * stay what they are until the transaction ends.
 */
export async function advanceAccessFrom(tx: Tx, orgId: string, revision: number, by: 0 | 1): Promise<boolean> {
  const rows = await tx.all(
    `update organizations set access_revision = access_revision + $3
     where id = $1 and access_revision = $2 and deleted_at_ms is null returning id`,
    orgId,
    revision,
    by,
  )
  return rows.length === 1
}

export interface GrantRow {
  readonly principal: string
  /** Empty for the organization. */
  readonly project_slug: string
  /** Empty for the organization or a project. */
  readonly stage_slug: string
  readonly role: string
  readonly expires_at_ms: number | null
  readonly granted_at_ms: number
  readonly granted_by: string
}

const grantColumns = 'principal, project_slug, stage_slug, role, expires_at_ms, granted_at_ms, granted_by'

/** Returns all grants of an organization. */
export function grantsOf(sql: Reader, orgId: string): Promise<GrantRow[]> {
  return sql.all(`select ${grantColumns} from grants where org_id = $1`, orgId)
}

export interface NewGrant {
  readonly principal: string
  readonly place: Place
  readonly role: string
  readonly expiresAtMs: number | undefined
  readonly nowMs: number
  readonly by: string
}

/** Inserts a grant, or replaces the one of the principal at the place. */
export async function putGrant(tx: Tx, orgId: string, grant: NewGrant): Promise<void> {
  await tx.all(
    `insert into grants (org_id, principal, project_slug, stage_slug, role, expires_at_ms, granted_at_ms, granted_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (org_id, principal, project_slug, stage_slug) do update set role = excluded.role,
       expires_at_ms = excluded.expires_at_ms, granted_at_ms = excluded.granted_at_ms, granted_by = excluded.granted_by`,
    orgId,
    grant.principal,
    ...slugsOf(grant.place),
    grant.role,
    grant.expiresAtMs ?? null,
    grant.nowMs,
    grant.by,
  )
}

export async function deleteGrant(tx: Tx, orgId: string, principal: string, place: Place): Promise<void> {
  await tx.all(
    'delete from grants where org_id = $1 and principal = $2 and project_slug = $3 and stage_slug = $4',
    orgId,
    principal,
    ...slugsOf(place),
  )
}

/** Deletes all grants of a principal. Returns them. */
export function deleteGrantsOf(tx: Tx, orgId: string, principal: string): Promise<GrantRow[]> {
  return tx.all(`delete from grants where org_id = $1 and principal = $2 returning ${grantColumns}`, orgId, principal)
}

/** Deletes all grants on a project and its stages, or on a stage. Returns them. */
export function deleteGrantsAt(tx: Tx, orgId: string, { projectSlug = '', stageSlug }: Place): Promise<GrantRow[]> {
  return tx.all(
    `delete from grants where org_id = $1 and project_slug = $2 and (cast($3 as text) is null or stage_slug = $3)
     returning ${grantColumns}`,
    orgId,
    projectSlug,
    stageSlug ?? null,
  )
}

/** Deletes all grants, groups and roles of an organization. */
export async function deleteAccess(tx: Tx, orgId: string): Promise<void> {
  await tx.all('delete from grants where org_id = $1', orgId)
  await tx.all('delete from group_members where group_id in (select id from user_groups where org_id = $1)', orgId)
  await tx.all('delete from user_groups where org_id = $1', orgId)
  await tx.all('delete from group_reports where org_id = $1', orgId)
  await tx.all('delete from roles where org_id = $1', orgId)
}

/** Returns whether an organization, a project or a stage exists. Archived ones do. */
export async function placeExists(sql: Reader, orgId: string, { projectSlug, stageSlug }: Place): Promise<boolean> {
  if (projectSlug === undefined) return true
  const rows = await sql.all(
    `select p.id from projects p where p.org_id = $1 and p.slug = $2 and p.deleted_at_ms is null
       and (cast($3 as text) is null or exists (
         select 1 from stages s where s.project_id = p.id and s.slug = $3 and s.deleted_at_ms is null))`,
    orgId,
    projectSlug,
    stageSlug ?? null,
  )
  return rows.length === 1
}

/**
 * Throws NOT_FOUND unless a place exists. Whatever gives access calls it in its transaction, after it has locked the organization, as
 * every deletion does first. Access to a missing place would apply to whatever someone creates under that name later.
 */
export async function requirePlace(sql: Reader, orgId: string, place: Place): Promise<void> {
  if (!(await placeExists(sql, orgId, place))) throw noPlace(place)
}

/** Returns when a stage was created; undefined if there is none. */
export async function stageCreatedAt(
  sql: Reader,
  orgId: string,
  projectSlug: string,
  stageSlug: string,
): Promise<number | undefined> {
  const [row] = await sql.all<{ created_at_ms: number }>(
    `select s.created_at_ms from projects p join stages s on s.project_id = p.id
     where p.org_id = $1 and p.slug = $2 and s.slug = $3 and s.deleted_at_ms is null`,
    orgId,
    projectSlug,
    stageSlug,
  )
  return row?.created_at_ms
}

/** Sets whether a stage is protected, and what it requires of changes, as JSON. Returns false if there is no such stage. */
export async function setProtected(
  tx: Tx,
  orgId: string,
  projectSlug: string,
  stageSlug: string,
  isProtected: boolean,
  protection: string | null,
): Promise<boolean> {
  const rows = await tx.all(
    `update stages set is_protected = $4, protection = $5
     where slug = $3 and deleted_at_ms is null
       and project_id in (select id from projects where org_id = $1 and slug = $2 and deleted_at_ms is null)
     returning id`,
    orgId,
    projectSlug,
    stageSlug,
    isProtected ? 1 : 0,
    protection,
  )
  return rows.length === 1
}

export async function setDefaultRole(tx: Tx, orgId: string, role: string): Promise<void> {
  await tx.all('update organizations set default_role = $2 where id = $1', orgId, role)
}

export interface SignInRules {
  /** Whether only a sign-in at a company opens the organization. */
  readonly isCompanyOnly: boolean
  /** The users who are excepted from that. */
  readonly breakGlass: readonly string[]
  /** Whether only a sign-in with a second factor opens the organization. */
  readonly needsSecondFactor: boolean
}

/** Sets how people must sign in to an organization. */
export async function setSignInRules(
  tx: Tx,
  orgId: string,
  { isCompanyOnly, breakGlass, needsSecondFactor }: SignInRules,
): Promise<void> {
  await tx.all(
    'update organizations set company_sign_in = $2, second_factor = $3 where id = $1',
    orgId,
    isCompanyOnly ? 1 : 0,
    needsSecondFactor ? 1 : 0,
  )
  await tx.all('delete from break_glass where org_id = $1', orgId)
  for (const userId of breakGlass)
    await tx.all('insert into break_glass (org_id, user_id) values ($1, $2)', orgId, userId)
}

export interface SignInRulesRow {
  /** The organization's id at the identity provider. */
  readonly idp_org_id: string
  /** 0 or 1, as `second_factor`. */
  readonly company_sign_in: number
  readonly second_factor: number
  /** A user who is excepted from the sign-in at the company; null if there is none. */
  readonly user_id: string | null
}

/** Returns those of the organizations that not every sign-in opens, with a row for each user who is excepted. */
export async function signInRulesOf(sql: Reader, idpOrgIds: readonly string[]): Promise<SignInRulesRow[]> {
  const rows: SignInRulesRow[] = []
  for (let start = 0; start < idpOrgIds.length; start += maxPicked) {
    const ids = idpOrgIds.slice(start, start + maxPicked).map((id) => [id])
    const { text, params } = pickedRows({ id: 'text' }, ids)
    const found = await sql.all<SignInRulesRow>(
      `${text} select o.idp_org_id, o.company_sign_in, o.second_factor, b.user_id from picked cross join organizations o
         left join break_glass b on b.org_id = o.id
       where o.idp_org_id = picked.id and o.deleted_at_ms is null and (o.company_sign_in = 1 or o.second_factor = 1)`,
      ...params,
    )
    rows.push(...found)
  }
  return rows
}

export interface GroupRow {
  readonly id: string
  readonly name: string
  /** The group of the identity provider whose people are its members. */
  readonly idp_group: string | null
  readonly created_at_ms: number
}

export function groupsOf(sql: Reader, orgId: string): Promise<GroupRow[]> {
  return sql.all('select id, name, idp_group, created_at_ms from user_groups where org_id = $1', orgId)
}

/** Inserts a group. Returns false if the organization already has one of that name, or for the same group of the provider. */
export async function insertGroup(tx: Tx, orgId: string, group: GroupRow): Promise<boolean> {
  const rows = await tx.all(
    `insert into user_groups (id, org_id, name, idp_group, created_at_ms) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning id`,
    group.id,
    orgId,
    group.name,
    group.idp_group,
    group.created_at_ms,
  )
  return rows.length === 1
}

/** Updates a group. Returns false if the organization has another one of that name, or for the same group of the provider. */
export async function updateGroup(
  tx: Tx,
  orgId: string,
  { id, name, idp_group: idpGroup }: Omit<GroupRow, 'created_at_ms'>,
): Promise<boolean> {
  const rows = await tx.all(
    `update user_groups set name = $3, idp_group = $4 where org_id = $1 and id = $2
       and not exists (select 1 from user_groups g
         where g.org_id = $1 and g.id <> $2 and (g.name = $3 or g.idp_group = cast($4 as text)))
     returning id`,
    orgId,
    id,
    name,
    idpGroup,
  )
  return rows.length === 1
}

/** Deletes a group with its members. The grants of the group are deleted separately. */
export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.all('delete from group_members where group_id = $1', id)
  await tx.all('delete from user_groups where id = $1', id)
}

export interface GroupMemberRow {
  readonly group_id: string
  readonly member: string
  readonly added_at_ms: number
}

/** Returns the members of all groups of an organization. */
export function groupMembersOf(sql: Reader, orgId: string): Promise<GroupMemberRow[]> {
  return sql.all(
    `select m.group_id, m.member, m.added_at_ms from user_groups g join group_members m on m.group_id = g.id
     where g.org_id = $1`,
    orgId,
  )
}

/** Adds a member to a group. Returns false if it already is one. */
export async function addGroupMember(
  tx: Tx,
  member: { groupId: string; member: string; nowMs: number; by: string },
): Promise<boolean> {
  const rows = await tx.all(
    `insert into group_members (group_id, member, added_at_ms, added_by) values ($1, $2, $3, $4)
     on conflict do nothing returning group_id`,
    member.groupId,
    member.member,
    member.nowMs,
    member.by,
  )
  return rows.length === 1
}

/** Removes a member from a group. Returns false if it is none. */
export async function removeGroupMember(tx: Tx, groupId: string, member: string): Promise<boolean> {
  const rows = await tx.all(
    'delete from group_members where group_id = $1 and member = $2 returning group_id',
    groupId,
    member,
  )
  return rows.length === 1
}

/** Removes a member from all groups of an organization. Returns the ids of the groups. */
export async function removeFromGroups(tx: Tx, orgId: string, member: string): Promise<string[]> {
  const rows = await tx.all<{ group_id: string }>(
    `delete from group_members where member = $2 and group_id in (select id from user_groups where org_id = $1)
     returning group_id`,
    orgId,
    member,
  )
  return rows.map(({ group_id: id }) => id)
}

/** Removes all members of a group. Returns them. */
export async function removeGroupMembers(tx: Tx, groupId: string): Promise<string[]> {
  const rows = await tx.all<{ member: string }>(
    'delete from group_members where group_id = $1 returning member',
    groupId,
  )
  return rows.map(({ member }) => member)
}

/** Records as of when the provider's report of a member's groups was applied. Returns false if a later one was. */
export async function advanceReport(tx: Tx, orgId: string, member: string, asOfMs: number): Promise<boolean> {
  const rows = await tx.all(
    `insert into group_reports (org_id, member, as_of_ms) values ($1, $2, $3)
     on conflict (org_id, member) do update set as_of_ms = excluded.as_of_ms where group_reports.as_of_ms <= excluded.as_of_ms
     returning member`,
    orgId,
    member,
    asOfMs,
  )
  return rows.length === 1
}

export interface ReportedGroupRow {
  readonly id: string
  readonly idp_group: string
  readonly is_member: number
}

/** Returns the groups whose members the provider reports, and whether this one is a member of each. */
export function reportedGroupsOf(sql: Reader, orgId: string, member: string): Promise<ReportedGroupRow[]> {
  return sql.all(
    `select g.id, g.idp_group, count(m.member) as is_member
     from user_groups g left join group_members m on m.group_id = g.id and m.member = $2
     where g.org_id = $1 and g.idp_group is not null group by g.id, g.idp_group`,
    orgId,
    member,
  )
}

export interface RoleRow {
  readonly name: string
  /** With commas, in the order of the contract. */
  readonly verbs: string
}

/** Inserts a role, or replaces the verbs of one. */
export async function putRole(tx: Tx, orgId: string, { name, verbs }: RoleRow): Promise<void> {
  await tx.all(
    `insert into roles (org_id, name, verbs) values ($1, $2, $3) on conflict (org_id, name) do update set verbs = excluded.verbs`,
    orgId,
    name,
    verbs,
  )
}

/** Deletes a role. Returns false if there is none. */
export async function deleteRole(tx: Tx, orgId: string, name: string): Promise<boolean> {
  const rows = await tx.all('delete from roles where org_id = $1 and name = $2 returning name', orgId, name)
  return rows.length === 1
}
