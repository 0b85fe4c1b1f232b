import { useQuery } from '@tanstack/react-query'
import { changedAtMs, type Project, projectsQuery } from '../../features/projects/queries.ts'
import { useRecentProjects } from '../../session/recent-projects.ts'
import { useScope } from '../../session/use-scope.ts'

const maxShortcuts = 3

/** Returns the current projects, the last opened first, then the last changed. */
export function useProjectsByUse(): readonly Project[] {
  const scope = useScope()
  const slugs = useRecentProjects(scope.orgSlug)
  const { data = [] } = useQuery(projectsQuery(scope))
  return byUse(data, slugs)
}

function byUse(projects: readonly Project[], recentSlugs: readonly string[]): readonly Project[] {
  const rankOf = ({ projectSlug }: Project): number => {
    const rank = recentSlugs.indexOf(projectSlug)
    return rank < 0 ? recentSlugs.length : rank
  }
  return projects
    .filter(({ archivedAtMs }) => archivedAtMs === undefined)
    .toSorted((one, other) => rankOf(one) - rankOf(other) || changedAtMs(other) - changedAtMs(one))
}

/** Returns the projects of the sidebar by name, so that opening one of them moves nothing. */
export function useShortcutProjects(): readonly Project[] {
  return useProjectsByUse()
    .slice(0, maxShortcuts)
    .toSorted((one, other) => one.name.localeCompare(other.name))
}
