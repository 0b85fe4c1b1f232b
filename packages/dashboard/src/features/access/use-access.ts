import type { Group, Project, Role, Stage } from '@rollkey/sdk/core'
import type { GuardedPlace, Place } from '@rollkey/contract/rules'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { currentStages, projectsQuery } from '../../data/projects/queries.ts'
import { labels } from './labels.ts'
import { labels as accessLabels } from '../../data/access/labels.ts'
import { type Named, type Source, sourcesBy } from '../../data/access/matrix.ts'
import { unlistedIn, useNamed } from '../../data/access/names.ts'
import { accessQuery, groupsQuery, rolesQuery } from '../../data/access/queries.ts'

/** A place where the viewer may grant, as the page names it. */
export interface NamedPlace extends GuardedPlace {
  readonly name: string
  /** The stage that it is. */
  readonly stage?: Stage
  /** The stages of the project that it is, where the page does not show them. */
  readonly stages?: readonly Stage[]
}

/** Who may do what at some places that the viewer manages. */
export interface Access {
  /** What everyone on the page has access to, or to something within it. */
  readonly within: Place
  /** The places of the page, the widest first. */
  readonly columns: readonly NamedPlace[]
  /** Where the viewer may grant. */
  readonly places: readonly NamedPlace[]
  readonly groups: readonly Group[]
  readonly roles: readonly Role[]
  readonly named: readonly Named[]
  readonly sourcesOf: (named: Named) => readonly Source[]
}

type Places = Pick<Access, 'within' | 'columns' | 'places'>

const organization: NamedPlace = { name: accessLabels.organization }

/** Returns who may do what in a project; undefined until it is known. */
export function useProjectAccess(project: Project) {
  const places = useManaged(project)
  const { within } = places
  // A place that is within another one needs no separate question.
  const asked = places.places.some(({ stageSlug }) => stageSlug === undefined) ? [within] : places.places
  return useAccess(places, asked)
}

/** Returns who may do what in the organization and its projects; undefined until it is known. */
export function useOrganizationAccess() {
  const projects = useQuery(projectsQuery(useScope()))
  const places = useMemo((): Places => {
    const current = (projects.data ?? []).filter(({ archivedAtMs }) => archivedAtMs === undefined)
    const columns = [
      organization,
      ...current.map((project) => ({
        projectSlug: project.projectSlug,
        name: project.name,
        stages: currentStages(project),
      })),
    ]
    return { within: {}, columns, places: columns }
  }, [projects.data])
  const { access, error } = useAccess(places, [{}])
  return { access: projects.data && access, error: projects.error ?? error }
}

function useAccess(places: Places, asked: readonly Place[]) {
  const scope = useScope()
  const lists = useQueries({
    queries: asked.map(({ projectSlug, stageSlug }) => accessQuery(scope, { projectSlug, stageSlug })),
    combine: (results) => ({
      data: results.flatMap(({ data }) => data ?? []),
      isComplete: results.every(({ data }) => data),
      error: results.find(({ error }) => error)?.error ?? null,
    }),
  })
  const groups = useQuery(groupsQuery(scope))
  const roles = useQuery(rolesQuery(scope))
  const listed = useNamed()
  const access = useMemo((): Access | undefined => {
    const [first] = lists.data
    if (!lists.isComplete || !first || !groups.data || !roles.data) return undefined
    const grants = [
      ...new Map(lists.data.flatMap((list) => list.grants).map((each) => [JSON.stringify(each), each])).values(),
    ]
    const rules = { defaultRole: first.defaultRole, grants, groups: groups.data, roles: roles.data }
    const named = [...listed, ...unlistedIn(grants, listed)]
    return { ...places, groups: groups.data, roles: roles.data, named, sourcesOf: sourcesBy(rules) }
  }, [places, lists, groups.data, roles.data, listed])
  return { access, error: lists.error ?? groups.error ?? roles.error }
}

/** Returns the stages and places of a project that the viewer manages, the project first. */
function useManaged(project: Project): Places {
  const may = useMay()
  return useMemo(() => {
    const { projectSlug } = project
    const stages = currentStages(project)
      .filter(({ stageSlug }) => may('manage', { projectSlug, stageSlug }))
      .map((stage): NamedPlace => {
        const { stageSlug, name, isProtected } = stage
        return { projectSlug, stageSlug, isProtected: isProtected === true, name, stage }
      })
    const around = [{ projectSlug, name: labels.grant.project(project.name) }, organization]
    return {
      within: { projectSlug },
      columns: [{ projectSlug, name: labels.access.project }, ...stages],
      places: [...around.filter((place) => may('manage', place)), ...stages],
    }
  }, [project, may])
}
