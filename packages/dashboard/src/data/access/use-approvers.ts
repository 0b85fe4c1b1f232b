import { type Approvers as ApproversOf, approversOf } from '@rollkey/contract/rules'
import type { Principal, StageSlugs } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { useNow } from '../../ui/time.tsx'
import { keyOf } from './matrix.ts'
import { accessQuery, groupsQuery, rolesQuery } from './queries.ts'

export type Approvers = ApproversOf<Principal>

/** A role on the stage that is about to be granted. */
interface NewRole {
  readonly principal: Principal
  readonly role: string
}

const none: readonly NewRole[] = []

/** Returns who may approve on a stage, with these roles besides. Undefined: loading, or only those who manage the stage may know. */
export function useApprovers(place: StageSlugs | undefined, more: readonly NewRole[] = none): Approvers | undefined {
  const scope = useScope()
  const nowMs = useNow()
  const may = useMay()
  const enabled = place !== undefined && may('manage', place)
  const access = useQuery({ ...accessQuery(scope, place ?? {}), enabled })
  const roles = useQuery({ ...rolesQuery(scope), enabled })
  const groups = useQuery({ ...groupsQuery(scope), enabled })
  if (!place || !access.data || !roles.data || !groups.data) return undefined
  const replaced = new Set(more.map(({ principal }) => keyOf(principal)))
  const grants = access.data.grants.filter(({ principal }) => !replaced.has(keyOf(principal)))
  const added = more.map((each) => ({ ...each, ...place }))
  return approversOf(place, { grants: [...grants, ...added], roles: roles.data, groups: groups.data }, nowMs)
}
