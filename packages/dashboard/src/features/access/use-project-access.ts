import type { Place } from '@rollkey/contract/rules'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { currentStages, type Project, type Stage } from '../projects/queries.ts'
import { type AccessRole, type Grant, type Group, type Named, type Source, sourcesBy } from './matrix.ts'
import { unlistedIn, useNamed } from './names.ts'
import { accessQuery, groupsQuery, rolesQuery } from './queries.ts'

/** Who may do what in a project, where the viewer manages it. */
export interface ProjectAccess {
  readonly project: Project
  /** The stages that the viewer manages. */
  readonly stages: readonly Stage[]
  /** Where the viewer may grant: the organization, the project and stages. */
  readonly places: readonly Place[]
  readonly grants: readonly Grant[]
  readonly groups: readonly Group[]
  readonly roles: readonly AccessRole[]
  readonly named: readonly Named[]
  readonly sourcesOf: (named: Named) => readonly Source[]
}

/** Returns who may do what in a project; undefined until it is known. */
export function useProjectAccess(project: Project) {
  const scope = useScope()
  const { projectSlug } = project
  const { stages, places } = useManaged(project)
  // A place that is within another one needs no separate question.
  const asked = places.some(({ stageSlug }) => stageSlug === undefined) ? [{ projectSlug }] : places
  const lists = useQueries({
    queries: asked.map((place) => accessQuery(scope, place)),
    combine: (results) => ({
      data: results.flatMap(({ data }) => data ?? []),
      isComplete: results.every(({ data }) => data),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  })
  const groups = useQuery(groupsQuery(scope))
  const roles = useQuery(rolesQuery(scope))
  const listed = useNamed()
  const access = useMemo((): ProjectAccess | undefined => {
    const [first] = lists.data
    if (!lists.isComplete || !first || !groups.data || !roles.data) return undefined
    const grants = [
      ...new Map(lists.data.flatMap((list) => list.grants).map((each) => [JSON.stringify(each), each])).values(),
    ]
    const rules = { defaultRole: first.defaultRole, grants, groups: groups.data, roles: roles.data }
    const named = [...listed, ...unlistedIn(grants, listed)]
    return { project, stages, places, ...rules, named, sourcesOf: sourcesBy(rules) }
  }, [project, stages, places, lists, groups.data, roles.data, listed])
  return { access, error: lists.error ?? groups.error ?? roles.error }
}

/** Returns the stages and places of a project that the viewer manages, the project first. */
function useManaged(project: Project) {
  const may = useMay()
  return useMemo(() => {
    const { projectSlug } = project
    const stages = currentStages(project).filter(({ stageSlug }) => may('manage', { projectSlug, stageSlug }))
    const around: Place[] = [{ projectSlug }, {}].filter((place) => may('manage', place))
    return { stages, places: [...around, ...stages.map(({ stageSlug }) => ({ projectSlug, stageSlug }))] }
  }, [project, may])
}
