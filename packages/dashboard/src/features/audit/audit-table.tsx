import type { AuditEntry } from '@rollkey/contract'
import { RecordTable } from '../../ui/record-table.tsx'
import { usePersonName } from '../members/use-person-name.ts'
import { actorName } from './labels.ts'
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
