import type { Stage, StageSlugs } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { rolesQuery } from '../../data/access/queries.ts'

/** Returns whether the viewer has all verbs of the role that may bypass the protection of a stage; false until it is known. */
export function useMayBypass(place: StageSlugs, stage: Stage | undefined): boolean {
  const bypassRole = stage?.protection?.bypassRole ?? null
  const { data: roles = [] } = useQuery({ ...rolesQuery(useScope()), enabled: bypassRole !== null })
  const may = useMay()
  const role = roles.find(({ name }) => name === bypassRole)
  return role !== undefined && role.verbs.every((verb) => may(verb, place))
}
