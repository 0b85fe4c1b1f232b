import type { AuditEntry } from '@rollkey/sdk/core'
import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useMutation } from '@tanstack/react-query'
import { useTimeout } from '@mantine/hooks'
import { limits } from '@rollkey/contract/rules'
import { BusyButton } from '../../ui/buttons.tsx'
import { IconDownload } from '../../ui/icons.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import { download } from '../../lib/browser.ts'
import { type Scope, useScope } from '../../session/scope.ts'
import { auditFilter, type AuditSearch } from '../../data/audit/audit-search.ts'
import { labels } from './labels.ts'
import { entriesBefore } from '../../data/audit/queries.ts'

interface ExportButtonProps {
  readonly search: AuditSearch
}

export function ExportButton({ search }: ExportButtonProps) {
  const { count, cancel, run } = useAuditExport(search)
  const button = useRef<HTMLButtonElement>(null)
  const giveUp = (): void => {
    cancel()
    button.current?.focus()
  }
  return (
    <>
      <Group>
        <BusyButton
          ref={button}
          variant="default"
          leftSection={<IconDownload />}
          title={labels.exportHint}
          isBusy={run.isPending}
          onClick={() => run.mutate()}
        >
          {labels.export}
        </BusyButton>
        {run.isPending && <ExportProgress count={count} onCancel={giveUp} />}
      </Group>
      <ErrorNotice error={run.error} />
    </>
  )
}

/** Downloads the entries of a search. `count`: how many have arrived. */
function useAuditExport(search: AuditSearch) {
  const scope = useScope()
  const [count, setCount] = useState(0)
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const run = useMutation({
    mutationFn: async () => {
      abort.current = new AbortController()
      setCount(0)
      const file = await exportAudit(scope, search, setCount, abort.current.signal)
      const day = new Date().toISOString().slice(0, 10)
      if (!file) return
      download(file.blob, `audit-${scope.orgSlug}-${day}.jsonl`)
      toast.success(labels.exported(file.count))
    },
  })
  return { count, cancel: () => abort.current.abort(), run }
}

interface ExportProgressProps {
  /** How many entries have arrived. */
  readonly count: number
  readonly onCancel: () => void
}

/** How long an export shows no progress. */
const quietMs = 2_000

function ExportProgress({ count, onCancel }: ExportProgressProps) {
  const [isLong, setLong] = useState(false)
  useTimeout(() => setLong(true), quietMs, { autoInvoke: true })
  if (!isLong) return null
  return (
    <>
      <Text role="status">{labels.exportProgress(count)}</Text>
      <Button variant="default" onClick={onCancel}>
        {labels.cancelExport}
      </Button>
    </>
  )
}

/**
 * Returns the audit log as a file with a line of JSON for each entry, the oldest first; undefined if it was aborted.
 * `onProgress` receives the number of entries so far.
 */
async function exportAudit(
  scope: Scope,
  search: AuditSearch,
  onProgress: (entries: number) => void,
  signal: AbortSignal,
): Promise<{ readonly blob: Blob; readonly count: number } | undefined> {
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
  return { blob: new Blob(pages.toReversed(), { type: 'application/jsonl' }), count }
}

function linesOf(entries: readonly AuditEntry[]): string {
  return entries
    .toReversed()
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('')
}
