/** The audit log as a file: a line of JSON for each entry, the oldest first. */
import type { AuditEntry } from '@rollkey/contract'
import { limits } from '@rollkey/contract/rules'
import type { Scope } from '../../session/scope.ts'
import { entriesBefore } from './queries.ts'
import { auditFilter } from './audit-filter.ts'
import type { AuditSearch } from './audit-search.ts'

/** Undefined if it was aborted. `onProgress`: told how many entries there are so far. */
export async function exportAudit(
  scope: Scope,
  search: AuditSearch,
  onProgress: (entries: number) => void,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const filter = auditFilter(search)
  const pages: string[] = []
  let count = 0
  let before: number | undefined
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the one before it ended
    const entries = await entriesBefore(scope, filter, before, limits.auditEntries)
    if (signal.aborted) return undefined
    pages.push(linesOf(entries))
    count += entries.length
    onProgress(count)
    if (entries.length < limits.auditEntries) break
    before = entries.at(-1)?.seq
  }
  return new Blob(pages.toReversed(), { type: 'application/jsonl' })
}

function linesOf(entries: readonly AuditEntry[]): string {
  return entries
    .toReversed()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}
