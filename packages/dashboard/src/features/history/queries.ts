/** What became of the variables of a stage. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Change } from '../variables/change.ts'
import { ask, type Scope } from '../../session/scope.ts'
import type { Place } from '../variables/queries.ts'
import { usePersonName } from '../members/queries.ts'

/** A revision comes whole, so there may be more. */
const pageChanges = 50

/** Changes of a stage or, with a name, of a variable: the newest first, those before a revision if one is told. */
export async function historyPage(
  scope: Scope,
  place: Place,
  filter: { readonly name: string | undefined; readonly before: number | undefined; readonly limit: number },
): Promise<readonly Change[]> {
  return (await ask(scope, 'history', { ...place, ...filter })).changes
}

/** The changes of one revision. */
export const revisionQuery = (scope: Scope, place: Place, name: string | undefined, revision: number) =>
  queryOptions({
    queryKey: ['revision', scope.orgSlug, place.projectSlug, place.stageSlug, name, revision],
    queryFn: async (): Promise<readonly Change[]> => {
      const changes = await historyPage(scope, place, { name, before: revision + 1, limit: 1 })
      return changes.filter((change) => change.revision === revision)
    },
  })

export const historyQuery = (scope: Scope, place: Place, name: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['history', scope.orgSlug, place.projectSlug, place.stageSlug, name],
    queryFn: async ({ pageParam }) => historyPage(scope, place, { name, before: pageParam, limit: pageChanges }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < pageChanges ? undefined : page.at(-1)?.revision),
  })

type Author = Pick<Change, 'writtenBy' | 'client'>

/** A token is no person; what it is called is in the client's name. */
export function isToken({ writtenBy }: Author): boolean {
  return writtenBy.startsWith('tok_')
}

/** Who made a change, such as "Ada". */
export function useAuthorName(): (change: Author) => string {
  const personName = usePersonName()
  return (change) => (isToken(change) && change.client) || personName(change.writtenBy)
}

/** Who made a change, and with what: such as "Ada · cli session laptop". */
export function useAuthorText(): (change: Author) => string {
  const authorName = useAuthorName()
  return (change) => {
    const { client } = change
    return client === undefined || isToken(change) ? authorName(change) : `${authorName(change)} · ${client}`
  }
}
