/** What the one who proposed a change may do at this moment. */
import { builtInRoles } from '@rollkey/contract'
import { Permissions } from '../access/permissions.ts'
import type { Policy } from '../access/policy.ts'
import type { ChangeRow } from '../storage/changes.ts'
import { serviceTokenById } from '../storage/service-tokens.ts'
import type { Reader } from '../storage/sql.ts'
import { placeOf } from './approvals.ts'

interface Now {
  readonly sql: Reader
  readonly policy: Policy
  readonly nowMs: number
  /** Returns whether a person is a member. */
  readonly isMember: (userId: string) => Promise<boolean>
}

/** Returns whether the proposer may still write the stage. */
export async function mayProposerWrite(row: ChangeRow, now: Now): Promise<boolean> {
  return (await permissionsOf(row.proposed_by, now)).allows('write', placeOf(row))
}

/** Returns the permissions of a service token, a trust or a person by their id. */
async function permissionsOf(id: string, { sql, policy, nowMs, isMember }: Now): Promise<Permissions> {
  const of = (grants: Permissions['grants']): Permissions => new Permissions(policy, grants, nowMs)
  if (id.startsWith('tru_')) return of(policy.grantsOf(`trust:${id}`))
  if (!id.startsWith('tok_')) return (await isMember(id)) ? Permissions.of({ userId: id }, policy, nowMs) : of([])
  const token = await serviceTokenById(sql, id, nowMs)
  if (!token) return of([])
  const { project_slug: projectSlug, stage_slug: stageSlug, role } = token
  const ofToken = {
    projectSlug: projectSlug ?? undefined,
    stageSlug: stageSlug ?? undefined,
    verbs: builtInRoles[role],
  }
  return of([ofToken, ...policy.grantsOf(`token:${id}`)])
}
