import { limits } from '@rollkey/contract/rules'
import type { Change } from '../variables/change.ts'

/** So many changes are read; beyond that nobody would look at what going back over them does. */
export const mostChanges = 10_000

/**
 * Every change after a revision, the newest first; undefined if they are too many. `pageBefore`: the latest changes before a
 * revision or, without one, of all, as many at once as the service gives.
 */
export async function changesSince(
  revision: number,
  pageBefore: (before: number | undefined) => Promise<readonly Change[]>,
): Promise<readonly Change[] | undefined> {
  const changes: Change[] = []
  let before: number | undefined
  while (changes.length <= mostChanges) {
    const page = await pageBefore(before)
    changes.push(...page.filter((change) => change.revision > revision))
    before = page.at(-1)?.revision
    if (page.length < limits.historyChanges || before === undefined || before <= revision + 1) return changes
  }
  return undefined
}
