/** Notices about the changes of others. */
import type { HistoryChange, Stage } from '@rollkey/sdk/core'
import type { useAuthorName } from '../../data/history/queries.ts'
import { pastTime } from '../../lib/time.ts'
import { labels } from '../../data/variables/labels.ts'

/** Maximum length of a cursor that is made here. In a URL it fits into the 8 KiB that proxies accept for a line. */
const maxSeenCharacters = 4_096

/** Returns the cursor of a project's list of stages, from which live events continue; undefined for too many stages. */
export function seenOf({
  stages,
}: {
  readonly stages: readonly Pick<Stage, 'stageSlug' | 'revision'>[]
}): string | undefined {
  const seen = stages.map(({ stageSlug, revision }) => `${stageSlug}:${revision}`).join(',')
  return seen.length > maxSeenCharacters ? undefined : seen
}

interface NewsContext {
  /** Name of the stage of the changes. */
  readonly stageName: string
  readonly nameOf: ReturnType<typeof useAuthorName>
  readonly nowMs: number
  /** Id of the reader. */
  readonly userId: string | undefined
}

/**
 * Returns a sentence such as "Grace changed DATABASE_URL in prod (now).", which counts more than one variable or person. It tells the
 * reader who applied their change. `changes`: at least one, the newest first.
 */
export function newsSentence(
  changes: readonly HistoryChange[],
  { stageName, nameOf, nowMs, userId }: NewsContext,
): string {
  const [newest] = changes
  if (!newest) return ''
  const { writtenBy, client, proposedBy, reason, changeId, writtenAtMs } = newest
  const author = nameOf(newest)
  const when = pastTime(writtenAtMs, nowMs)
  const isTheirs = proposedBy === userId && changes.every((each) => each.changeId === changeId)
  if (isTheirs && reason !== undefined) {
    return labels.newsOfYours({ who: nameOf({ writtenBy, client }), reason, stage: stageName, when })
  }
  const names = new Set(changes.map(({ name }) => name))
  return labels.news({
    author,
    hasOthers: changes.some((each) => nameOf(each) !== author),
    change: changes.every(({ change }) => change === newest.change) ? newest.change : 'updated',
    what: names.size === 1 ? newest.name : names.size,
    stage: stageName,
    when,
  })
}
