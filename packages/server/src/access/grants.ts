/** Grants: who has which role where. */
import {
  compareCodePoints,
  isWithin,
  limits,
  machineRoles,
  type Place,
  type Request,
  type Response,
  type Verb,
  type VerbGrant,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { nameOf } from '../base/place-name.ts'
import { deleteGrant, grantsOf, putGrant, requirePlace, type GrantRow } from '../storage/access.ts'
import type { AuditEvent } from '../storage/audit.ts'
import type { Reader } from '../storage/sql.ts'
import type { Access } from './access.ts'
import type { ChangeRequest } from './change-request.ts'
import type { Permissions } from './permissions.ts'
import type { Policy, PolicyGrant, Principal } from './policy.ts'
import { namedPrincipal, type NamedPrincipal, type Principals } from './principals.ts'

type Listed = Response<'accessList'>

export class Grants {
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

  /** Returns the valid grants at a place, within it and around it. */
  async list(policy: Policy, place: Place): Promise<Listed> {
    const nowMs = this.#clock.now()
    const rows = (await grantsOf(this.#sql, policy.id)).filter(
      (row) => row.expires_at_ms === null || nowMs < row.expires_at_ms,
    )
    return {
      defaultRole: policy.defaultRole,
      grants: rows
        .map(listed)
        .filter((grant) => isWithin(grant, place) || isWithin(place, grant))
        .toSorted((a, b) => compareCodePoints(keyOf(a), keyOf(b))),
      protectedStages: policy
        .protectedStages()
        .filter((stage) => isWithin(stage, place))
        .toSorted((a, b) => compareCodePoints(keyOf(a), keyOf(b))),
    }
  }

  /** Gives a principal a role at a place, instead of the one that it has there. */
  async grant(by: ChangeRequest, request: Omit<Request<'accessGrant'>, 'orgSlug'>): Promise<void> {
    const { actor, permissions } = by
    const { policy } = permissions
    const { projectSlug, stageSlug, role, expiresAtMs } = request
    const place = { projectSlug, stageSlug }
    const nowMs = this.#clock.now()
    policy.assertRole(role)
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
      throw new ApiError('INVALID_REQUEST', 'expiresAtMs is in the past: choose a later time, or leave it out.')
    if (policy.isProtected(place)) by.assertConfirmed()
    const organization = { orgId: policy.id, idpOrgId: by.idpOrgId }
    const principal = await this.#principals.find(organization, request.principal)
    const scope = policy.scopeOf(principal) ?? (await this.#principals.tokenScope(organization, principal))
    if (scope) {
      assertForMachine(permissions, role, place)
      assertInScope(place, scope)
    }
    const before = policy.grantAt(principal, place)
    if (!before && policy.grants.filter(({ isOwn }) => !isOwn).length >= limits.grants)
      throw new ApiError(
        'INVALID_REQUEST',
        `The organization has ${limits.grants} grants (the maximum): grant to groups instead of people, or revoke some.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      await requirePlace(tx, policy.id, place)
      await putGrant(tx, policy.id, { principal, place, role, expiresAtMs, nowMs, by: actor.id })
      return [grantEvent('access.grant', principal, place, before, { role, expiresAtMs })]
    })
  }

  /** Revokes the role of a principal at a place. Throws NOT_FOUND if it has none there. */
  async revoke(by: ChangeRequest, named: NamedPrincipal, place: Place): Promise<void> {
    const {
      actor,
      idpOrgId,
      permissions: { policy },
    } = by
    const principal = await this.#principals.resolve({ orgId: policy.id, idpOrgId }, named)
    const before = policy.grantAt(principal, place)
    if (!before)
      throw new ApiError(
        'NOT_FOUND',
        `There is no grant of this principal on ${nameOf(place)} itself: list the grants to see where it has one.`,
      )
    await this.#access.change(policy, actor, async (tx) => {
      await deleteGrant(tx, policy.id, principal, place)
      return [grantEvent('access.revoke', principal, place, before, undefined)]
    })
  }
}

/** Throws INVALID_REQUEST for a role that is only for people, and FORBIDDEN for one with verbs that the caller lacks there. */
function assertForMachine(permissions: Permissions, role: string, place: Place): void {
  if (!machineRoles.some((each) => each === role))
    throw new ApiError(
      'INVALID_REQUEST',
      `A service token or a trust cannot have the role ${role} (expected one of ${machineRoles.join(', ')}): choose another.`,
    )
  assertCovers(permissions, permissions.policy.verbsOf(role), place)
}

/** Throws INVALID_REQUEST for a place beyond the scope of a machine, where a role would give it nothing. */
function assertInScope(place: Place, scope: Place): void {
  if (isWithin(place, scope)) return
  throw new ApiError(
    'INVALID_REQUEST',
    `A service token or a trust for ${nameOf(scope)} has no access beyond it: grant the role there or within it.`,
  )
}

/** Throws FORBIDDEN unless the caller has all verbs that a machine gets: no credential is stronger than its creator. */
function assertCovers(permissions: Permissions, verbs: readonly Verb[], place: Place): void {
  const missing = permissions.missing(verbs, place)
  if (missing.length === 0) return
  throw new ApiError(
    'FORBIDDEN',
    `The service token or trust would be allowed more than you are on ${nameOf(place)} (${missing.join(', ')}): choose a lesser role, or ask someone who has these verbs there.`,
  )
}

/**
 * Throws FORBIDDEN unless the caller has all verbs that a service token or trust with these grants has, and CONFIRMATION_REQUIRED if it reads a
 * protected stage: a machine needs no confirmation there, so the person who gets its secret does.
 */
export function assertMayIssue(
  permissions: Permissions,
  grants: readonly VerbGrant[],
  assertConfirmed: () => void,
): void {
  for (const grant of grants) assertCovers(permissions, grant.verbs, grant)
  if (grants.some((grant) => grant.verbs.includes('read') && permissions.policy.isProtected(grant))) assertConfirmed()
}

type GrantedRole = Pick<PolicyGrant, 'role' | 'expiresAtMs'>

function roleOf({ role, expiresAtMs }: GrantedRole): GrantedRole {
  return { role, expiresAtMs }
}

/** Returns the audit event of a grant that changed. */
export function grantEvent(
  action: 'access.grant' | 'access.revoke',
  principal: Principal,
  { projectSlug, stageSlug }: Place,
  before: GrantedRole | undefined,
  after: GrantedRole | undefined,
): AuditEvent {
  return {
    action,
    ...(projectSlug !== undefined && { projectSlug }),
    ...(stageSlug !== undefined && { stageSlug }),
    facts: { principal: namedPrincipal(principal), before: before && roleOf(before), after: after && roleOf(after) },
  }
}

/** Returns the audit event of a grant that was revoked. */
export function revokeEvent(row: GrantRow): AuditEvent {
  const before = { role: row.role, expiresAtMs: row.expires_at_ms ?? undefined }
  return grantEvent('access.revoke', row.principal as Principal, placeOf(row), before, undefined)
}

/** Returns the place of a row. */
export function placeOf({ project_slug, stage_slug }: Pick<GrantRow, 'project_slug' | 'stage_slug'>): Place {
  return {
    ...(project_slug !== '' && { projectSlug: project_slug }),
    ...(stage_slug !== '' && { stageSlug: stage_slug }),
  }
}

function listed(row: GrantRow): Listed['grants'][number] {
  return {
    principal: namedPrincipal(row.principal as Principal),
    ...placeOf(row),
    role: row.role,
    ...(row.expires_at_ms !== null && { expiresAtMs: row.expires_at_ms }),
    grantedAtMs: row.granted_at_ms,
    grantedBy: row.granted_by,
  }
}

/** Returns a key by which grants are sorted: by place, then by principal. */
function keyOf({
  projectSlug = '',
  stageSlug = '',
  principal,
}: Place & { readonly principal?: NamedPrincipal }): string {
  return [projectSlug, stageSlug, principal?.kind, principal?.id].join('\n')
}
