import type { AuditEntry } from '@rollkey/contract'
import { RecordTable } from '../../components/record-table.tsx'
import { usePersonName } from '../../hooks/use-person-name.ts'
import { actorName } from '../../organization/audit-words.ts'
import { AuditRow } from './audit-row.tsx'

interface AuditTableProps {
  readonly entries: readonly AuditEntry[]
}

export function AuditTable({ entries }: AuditTableProps) {
  const personName = usePersonName()
  return (
    <RecordTable label="Audit log" columns={['When', 'Who', 'What']}>
      {entries.map((entry) => (
        <AuditRow key={entry.seq} entry={entry} who={actorName(entry, personName)} />
      ))}
    </RecordTable>
  )
}
