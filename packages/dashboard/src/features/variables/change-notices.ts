/** Notices about the changes of others. */
import type { HistoryChange, Stage } from '@rollkey/sdk/core'
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

/**
 * Returns a sentence such as "Grace changed DATABASE_URL in prod (now).", which counts more than one variable or person.
 * `changes`: at least one, the newest first.
 */
export function newsSentence(
  changes: readonly HistoryChange[],
  stageName: string,
  nameOf: (change: HistoryChange) => string,
  nowMs: number,
): string {
  const [newest] = changes
  if (!newest) return ''
  const names = new Set(changes.map(({ name }) => name))
  return labels.news({
    author: nameOf(newest),
    hasOthers: changes.some(({ writtenBy }) => writtenBy !== newest.writtenBy),
    change: changes.every(({ change }) => change === newest.change) ? newest.change : 'updated',
    what: names.size === 1 ? newest.name : names.size,
    stage: stageName,
    when: pastTime(newest.writtenAtMs, nowMs),
  })
}
