/** Grants, groups, roles and protection of the organization. */
import { type DefaultRole, type Place, type Verb, withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { Answer, Group, GroupMember, LostAccess, Principal, Request, Role, StageSlugs } from '@rollkey/sdk/core'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { whoamiKey } from '../../service/query-client.ts'
import { ask, type Scope, useScope } from '../../session/scope.ts'

/** Begins the keys of everything that a change of access may change. */
const accessKey = 'access'

export type AccessList = Answer<'accessList'>

/** Reads the grants that matter for a place, and the default role. */
export const accessQuery = (scope: Scope, place: Place) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'list', place],
    queryFn: (): Promise<AccessList> => ask(scope, 'accessList', place),
  })

/** Reads the groups, for those who manage any place. */
export const groupsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'groups'],
    queryFn: async (): Promise<readonly Group[]> =>
      (await ask(scope, 'groups', {})).groups.map((group) => ({ ...group, name: withoutHiddenCharacters(group.name) })),
  })

export const rolesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'roles'],
    queryFn: async (): Promise<readonly Role[]> => (await ask(scope, 'roles', {})).roles,
  })

export type Explanation = Answer<'accessExplain'>

/** Reads what applies to a principal at a place. */
export const explainQuery = (scope: Scope, principal: Principal, { projectSlug, stageSlug }: Place) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'explain', principal, projectSlug, stageSlug],
    queryFn: (): Promise<Explanation> => ask(scope, 'accessExplain', { principal, projectSlug, stageSlug }),
  })

export type Holders = Answer<'accessHolders'>

/** Reads who had a verb on a stage. `atMs` absent: now. */
export const holdersQuery = (scope: Scope, place: StageSlugs, verb: Verb, atMs: number | undefined) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'holders', place, verb, atMs],
    queryFn: (): Promise<Holders> =>
      ask(scope, 'accessHolders', { ...place, verb, ...(atMs !== undefined && { atMs }) }),
  })

/** Reads who would lose what by a protection, which it does not save. */
export const losingQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: [accessKey, scope.orgSlug, 'losing', place],
    queryFn: async (): Promise<readonly LostAccess[]> =>
      (await ask(scope, 'stageProtect', { ...place, isProtected: true, dryRun: true })).losing,
    staleTime: 0,
  })

type Change<Name extends 'accessGrant' | 'accessRevoke'> = Omit<Request<Name>, 'orgSlug'>

export async function grant(scope: Scope, change: Change<'accessGrant'>): Promise<void> {
  await ask(scope, 'accessGrant', change)
}

export async function revoke(scope: Scope, change: Change<'accessRevoke'>): Promise<void> {
  await ask(scope, 'accessRevoke', change)
}

/** Protects a stage with what it then requires, or ends its protection. */
export async function protect(
  scope: Scope,
  change: Omit<Request<'stageProtect'>, 'orgSlug' | 'dryRun'>,
): Promise<void> {
  await ask(scope, 'stageProtect', change)
}

/** Returns a mutation of access, which ends when the pages show it: also what the viewer themselves may do now. */
export function useAccessChange<Input = void, Result = void>(change: (input: Input) => Promise<Result>) {
  const scope = useScope()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: async () => {
      await Promise.all(
        [accessKey, whoamiKey, 'projects', 'organization-settings'].map((kind) =>
          queryClient.invalidateQueries({ queryKey: [kind, scope.orgSlug] }),
        ),
      )
    },
  })
}

/** `idpGroup`: the group of the provider that it stands for; empty: none. */
/** Creates a group and returns its id. */
export async function createGroup(scope: Scope, name: string, idpGroup: string): Promise<string> {
  const { id } = await ask(scope, 'groupCreate', { name, ...(idpGroup !== '' && { idpGroup }) })
  return id
}

type GroupChange = Pick<Request<'groupUpdate'>, 'name' | 'idpGroup'>

/** Renames a group, or changes the group of the provider that it stands for; null: none. */
export async function updateGroup(scope: Scope, id: string, change: GroupChange): Promise<void> {
  await ask(scope, 'groupUpdate', { id, ...change })
}

export async function deleteGroup(scope: Scope, id: string): Promise<void> {
  await ask(scope, 'groupDelete', { id })
}

interface MemberChange {
  readonly add?: GroupMember[]
  readonly remove?: GroupMember[]
}

export async function changeMembers(scope: Scope, id: string, change: MemberChange): Promise<void> {
  await ask(scope, 'groupMembers', { id, ...change })
}

/** Adds a role, or changes what one allows. */
export async function setRole(scope: Scope, name: string, verbs: Verb[]): Promise<void> {
  await ask(scope, 'roleSet', { name, verbs })
}

export async function deleteRole(scope: Scope, name: string): Promise<void> {
  await ask(scope, 'roleDelete', { name })
}

/** Sets what every member may do in the whole organization. */
export async function setDefaultRole(scope: Scope, defaultRole: DefaultRole): Promise<void> {
  await ask(scope, 'organizationUpdate', { defaultRole })
}

/** Confirms a CLI session of the viewer, so that it reads values of protected stages for 15 minutes. */
export async function confirmSession(scope: Scope, id: string): Promise<void> {
  await ask(scope, 'sessionConfirm', { id })
}
