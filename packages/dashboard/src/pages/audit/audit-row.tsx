import { Text } from '@mantine/core'
import type { AuditEntry } from '@rollkey/contract'
import { memo } from 'react'
import { absoluteTime } from '../../base/time.ts'
import { RecordCell } from '../../components/record-cell.tsx'
import { RecordRow } from '../../components/record-row.tsx'
import { phraseOf } from '../../organization/audit-words.ts'
import { EntryDetails } from './entry-details.tsx'

interface AuditRowProps {
  readonly entry: AuditEntry
  /** Who did it. */
  readonly who: string
}

/** Of hundreds, which stay as they are when new ones come. */
export const AuditRow = memo(function AuditRow({ entry, who }: AuditRowProps) {
  const [did, what, where] = phraseOf(entry)
  const { how, client, atMs } = entry
  return (
    <RecordRow>
      <RecordCell>
        {did} <bdi>{what}</bdi> {where}
        <EntryDetails entry={entry} />
      </RecordCell>
      <RecordCell label="Who">
        {who}
        {how === 'session' && (
          <Text size="sm" c="dimmed">
            <bdi>{client}</bdi>
          </Text>
        )}
      </RecordCell>
      <RecordCell label="When">
        <time dateTime={new Date(atMs).toISOString()}>{absoluteTime(atMs)}</time>
      </RecordCell>
    </RecordRow>
  )
})
