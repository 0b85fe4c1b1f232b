import { Button, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { focusHeading } from '../../components/focus-heading.ts'
import { Loading } from '../../components/loading.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ShowOlder } from '../../components/show-older.tsx'
import { useAuditSearch } from '../../hooks/use-audit-search.ts'
import { useScope } from '../../hooks/use-scope.ts'
import { auditQuery } from '../../organization/audit.ts'
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
