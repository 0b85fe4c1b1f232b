import { Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { focusHeading } from '../../ui/focus-heading.ts'
import { Loading } from '../../ui/loading.tsx'
import { ProblemNotice } from '../../ui/error-notice.tsx'
import { ShowOlder } from '../../ui/show-older.tsx'
import { useAuditSearch } from './use-audit-search.ts'
import { useScope } from '../../session/use-scope.ts'
import { auditQuery } from './queries.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditTable } from './audit-table.tsx'
import { ExportButton } from './export-button.tsx'
import { NoEntries } from './no-entries.tsx'

export function AuditLog() {
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
      <ProblemNotice error={log.error} />
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
