/** The history of the variables of a stage. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Answer, HistoryChange, StageSlugs } from '@rollkey/sdk/core'
import { limits } from '@rollkey/contract/rules'
import { ask, askUnconfirmed, type Scope } from '../../session/scope.ts'
import { usePersonName } from '../members.ts'
import { labels } from './labels.ts'
import { stageKey } from '../stages.ts'

/** Minimum number of changes of a page, which has whole revisions. */
const pageChanges = 50

/** Returns changes of a stage or, with a name, of a variable, the newest first. `before`: only those of earlier revisions. */
export async function historyPage(
  scope: Scope,
  place: StageSlugs,
  filter: { readonly name: string | undefined; readonly before: number | undefined; readonly limit: number },
): Promise<readonly HistoryChange[]> {
  return (await ask(scope, 'history', { ...place, ...filter })).changes
}

/** Reads the changes of one revision. */
export const revisionQuery = (scope: Scope, place: StageSlugs, name: string | undefined, revision: number) =>
  queryOptions({
    queryKey: stageKey('revision', scope, place, name, revision),
    queryFn: async (): Promise<readonly HistoryChange[]> => {
      const changes = await historyPage(scope, place, { name, before: revision + 1, limit: 1 })
      return changes.filter((change) => change.revision === revision)
    },
  })

export const historyQuery = (scope: Scope, place: StageSlugs, name: string | undefined) =>
  infiniteQueryOptions({
    queryKey: stageKey('history', scope, place, name),
    queryFn: async ({ pageParam }) => historyPage(scope, place, { name, before: pageParam, limit: pageChanges }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < pageChanges ? undefined : page.at(-1)?.revision),
  })

/** The values before and after a change, by the fields of a write. */
export type ChangedValues = Answer<'plainHistory'>['changes'][number]

/** Reads the values, where they are not secret, of at least the latest `count` changes up to a revision. */
export const changedValuesQuery = (
  scope: Scope,
  place: StageSlugs,
  name: string | undefined,
  revision: number,
  count: number,
) =>
  queryOptions({
    queryKey: stageKey('values', scope, place, name, revision, count),
    queryFn: async (): Promise<readonly ChangedValues[]> => {
      const filter = { name, before: revision + 1, limit: Math.min(count, limits.historyChanges) }
      return (await askUnconfirmed(scope, 'plainHistory', { ...place, ...filter })).changes
    },
  })

type Author = Pick<HistoryChange, 'writtenBy' | 'client'>

/** The client of the changes that the service makes at their time. */
const planned = 'schedule'

/** Returns whether a service token made a change. Its name is in `client`. */
export function isToken({ writtenBy }: Author): boolean {
  return writtenBy.startsWith('tok_')
}

/** Returns a function that names who made a change, such as "Ada". */
export function useAuthorName(): (change: Author) => string {
  const personName = usePersonName()
  return (change) => {
    const { writtenBy, client } = change
    if (isToken(change) && client !== undefined) return client
    // The service made the change at the time that the person had planned.
    return client === planned ? labels.planOf(personName(writtenBy)) : personName(writtenBy)
  }
}

/** Returns a function that names who made a change and with what client, such as "Ada · cli session laptop". */
export function useAuthorText(): (change: Author) => string {
  const authorName = useAuthorName()
  return (change) => {
    const { client } = change
    return client === undefined || client === planned || isToken(change)
      ? authorName(change)
      : `${authorName(change)} · ${client}`
  }
}
