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

type Author = Pick<HistoryChange, 'writtenBy' | 'client' | 'reason' | 'proposedBy' | 'proposedWith'>

/** The client of the changes that the service makes at their time. */
const planned = 'schedule'

/** Returns who made a change and with what: who proposed it, if anyone did. */
function authorOf({ writtenBy, client, proposedBy, proposedWith }: Author) {
  return proposedBy === undefined ? { id: writtenBy, client } : { id: proposedBy, client: proposedWith }
}

/** Returns whether the author of a change is a machine. Its name is in the client. */
export function isByMachine(change: Author): boolean {
  return isMachine(authorOf(change).id)
}

function isMachine(id: string): boolean {
  return /^(tok|tru)_/.test(id)
}

/** Returns a function that names the author of a change, such as "Ada": who proposed it, or else who wrote it. */
function useNameOfAuthor(): (change: Author) => string {
  const personName = usePersonName()
  return (change) => {
    const { id, client } = authorOf(change)
    return isMachine(id) && client !== undefined ? client : personName(id)
  }
}

/** Returns a function that names the author of a change, such as "Ada", or "Ada’s plan" if the service wrote it at its time. */
export function useAuthorName(): (change: Author) => string {
  const nameOf = useNameOfAuthor()
  return (change) => (change.client === planned ? labels.planOf(nameOf(change)) : nameOf(change))
}

/** Returns a function that names who made a change and with what client, such as "Ada · cli session laptop". */
export function useAuthorText(): (change: Author) => string {
  const authorName = useAuthorName()
  return (change) => {
    const { writtenBy, client } = change
    if (isByAnother(change)) return labels.appliedBy(authorName(change), authorName({ writtenBy, client }))
    return client === undefined || client === planned || isByMachine(change)
      ? authorName(change)
      : `${authorName(change)} · ${client}`
  }
}

/** Returns whether someone else than the author applied a change. */
function isByAnother({ writtenBy, proposedBy }: Author): boolean {
  return proposedBy !== undefined && proposedBy !== writtenBy
}

/** The start of a sentence about a revision, such as "Bo’s change “First key”, applied by Ada, ". */
interface Credit {
  /** The name of the author. */
  readonly author: string
  /** What the sentence begins with, such as "Bo’s change". */
  readonly who: string
  /** What is between it and what the revision did. */
  readonly parts: readonly string[]
}

/** Returns a function that says whose change made a revision, what it is about, and who else applied it. */
export function useCredit(): (revision: Author) => Credit {
  const nameOf = useNameOfAuthor()
  const authorName = useAuthorName()
  return (revision) => {
    const { writtenBy, client, reason } = revision
    const author = nameOf(revision)
    if (reason === undefined) return { author, who: authorName(revision), parts: [] }
    const who = client === planned ? labels.planOf(author) : labels.changeOf(author)
    const title = isByAnother(revision)
      ? labels.titledAndApplied(reason, authorName({ writtenBy, client }))
      : labels.titled(reason)
    return { author, who, parts: [title] }
  }
}
