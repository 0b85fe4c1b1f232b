import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { projectsQuery } from '../../data/projects/queries.ts'
import { useMay } from '../../session/permissions.ts'
import { useScope } from '../../session/scope.ts'
import { credentialsSearch } from './credentials-search.ts'

/** Returns the slug of the project whose credentials the page lists. Undefined: it lists those of all. */
export function useListedProject(): string | undefined {
  return credentialsSearch(useSearch({ strict: false })).project
}

/** Returns the project of a new credential: the one whose credentials the page lists, or the only one. Empty: the person chooses. */
export function useLikelyProject(): string {
  const listed = useListedProject()
  const { data = [] } = useQuery(projectsQuery(useScope()))
  const may = useMay()
  const [only, ...others] = data
  if (listed !== undefined) return listed
  return only && others.length === 0 && may('manage', only) ? only.projectSlug : ''
}
