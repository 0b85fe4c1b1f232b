import { Text } from '@mantine/core'
import type { AuditEntry } from '@rollkey/contract'
import { memo } from 'react'
import { absoluteTime } from '../../lib/time.ts'
import { RecordCell } from '../../ui/record-cell.tsx'
import { RecordRow } from '../../ui/record-row.tsx'
import { phraseOf } from './labels.ts'
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
