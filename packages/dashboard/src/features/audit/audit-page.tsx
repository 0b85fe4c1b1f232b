import { Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { RequireRole } from '../../session/require-role.tsx'
import { Page } from '../../ui/page.tsx'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Loading } from '../../ui/loading.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { ShowOlder } from '../../ui/show-older.tsx'
import { useScope } from '../../session/use-scope.ts'
import { RecordTable } from '../../ui/record-table.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { absoluteTime } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import type { AuditEntry } from './audit-filter.ts'
import { auditQuery } from './queries.ts'
import { AuditFilters } from './audit-filters.tsx'
import { ExportButton } from './export-button.tsx'
import { auditSearch, type AuditSearch } from './audit-search.ts'
import { actorName, phraseOf } from './labels.ts'
import classes from './entry-details.module.css'

export function AuditPage() {
  return (
    <Page
      title="Audit log"
      lead="What was done in the organization, and by whom. Entries stay; their details go after the time that the operator has set. Evaluations are counted, not listed."
    >
      <RequireRole what="read the audit log">
        <AuditLog />
      </RequireRole>
    </Page>
  )
}

function AuditLog() {
  const { search, setSearch } = useAuditSearch()
  const log = useInfiniteQuery(auditQuery(useScope(), search))
  const entries = useMemo(() => log.data?.pages.flat() ?? [], [log.data])
  const clear = (): void => {
    setSearch()
    focusHeading()
  }
  const isFiltered = Object.keys(search).length > 0
  return (
    <>
      <AuditFilters search={search} onChange={setSearch} entries={entries} />
      <Group justify="space-between">
        <ExportButton search={search} />
        {isFiltered && (
          <Button size="sm" variant="default" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <ErrorNotice error={log.error} />
      {log.isPending && <Loading />}
      {log.data && entries.length === 0 && <NoEntries isFiltered={isFiltered} />}
      {entries.length > 0 && (
        <>
          <AuditTable entries={entries} />
          <ShowOlder list={log} />
        </>
      )}
    </>
  )
}

interface NoEntriesProps {
  readonly isFiltered: boolean
}

function NoEntries({ isFiltered }: NoEntriesProps) {
  return (
    <Text c="dimmed" role="status">
      {isFiltered
        ? 'Nothing like this was done. Take a filter away to see more.'
        : 'Nothing was done yet. Every change, every revealed value and every login will be here.'}
    </Text>
  )
}

/** What the page's address asks of the audit log, and how to ask for more or, without an argument, for everything. */
function useAuditSearch() {
  const search = useSearch({ from: '/signed-in/o/$orgSlug/audit' })
  const navigate = useNavigate({ from: '/o/$orgSlug/audit' })
  const setSearch = (change?: AuditSearch): void => {
    void navigate({
      search: (before) => auditSearch(change ? { ...before, ...change } : {}),
      replace: true,
      resetScroll: false,
    })
  }
  return { search, setSearch }
}

interface AuditTableProps {
  readonly entries: readonly AuditEntry[]
}

function AuditTable({ entries }: AuditTableProps) {
  const personName = usePersonName()
  return (
    <RecordTable label="Audit log" columns={['When', 'Who', 'What']}>
      {entries.map((entry) => (
        <AuditRow key={entry.seq} entry={entry} who={actorName(entry, personName)} />
      ))}
    </RecordTable>
  )
}

interface AuditRowProps {
  readonly entry: AuditEntry
  /** Who did it. */
  readonly who: string
}

/** Of hundreds, which stay as they are when new ones come. */
const AuditRow = memo(function AuditRow({ entry, who }: AuditRowProps) {
  const [did, what, where] = phraseOf(entry)
  const { how, client, atMs } = entry
  return (
    <RecordRow>
      <RecordCell>
        <time dateTime={new Date(atMs).toISOString()}>{absoluteTime(atMs)}</time>
      </RecordCell>
      <RecordCell label="Who">
        <bdi className="wrapping">{who}</bdi>
        {(how === 'session' || how === 'system') && (
          <Text size="sm" c="dimmed" className="wrapping">
            <bdi>{client}</bdi>
          </Text>
        )}
      </RecordCell>
      <RecordCell>
        <Text size="sm" className="wrapping">
          {did} <bdi>{what}</bdi> {where}
        </Text>
        <EntryDetails entry={entry} />
      </RecordCell>
    </RecordRow>
  )
})

interface EntryDetailsProps {
  readonly entry: AuditEntry
}

/** All that is known of an entry, on demand. */
function EntryDetails({ entry }: EntryDetailsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes['details']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {isOpen && <DescriptionList facts={factsOf(entry)} />}
    </details>
  )
}

function factsOf({ seq, atMs, actor, client, names, revision, subject, requestId }: AuditEntry) {
  return {
    Number: seq,
    Time: new Date(atMs).toISOString(),
    'Id of who did it': actor ?? 'Deleted, like all else: details are kept for the time that the operator has set.',
    'By what': client && <bdi>{client}</bdi>,
    Variables: names && <bdi>{names.join(', ')}</bdi>,
    'Revision of the stage': revision,
    Subject: subject,
    Request: requestId,
  }
}
