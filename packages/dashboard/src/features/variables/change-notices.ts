/** Notices about the changes of others. */
import type { Answer } from '@rollkey/sdk/core'
import { pastTime } from '../../lib/time.ts'
import type { Change } from './change.ts'
import { labels } from './labels.ts'

/** Returns the cursor of a project's list of stages, from which live events continue. */
export function seenOf({ stages }: Answer<'projects'>['projects'][number]): string {
  return stages.map(({ stageSlug, revision }) => `${stageSlug}:${revision}`).join(',')
}

/**
 * Returns a sentence such as "Grace changed DATABASE_URL in prod (now).", which counts more than one variable or person.
 * `changes`: at least one, the newest first.
 */
export function newsSentence(
  changes: readonly Change[],
  stageName: string,
  nameOf: (change: Change) => string,
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
