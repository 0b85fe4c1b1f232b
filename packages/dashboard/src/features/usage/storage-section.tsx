import { Text } from '@mantine/core'
import { bytesText } from '../../lib/numbers.ts'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import type { Usage } from './usage.ts'
import { amountText } from './labels.ts'
import { LimitBar } from './limit-bar.tsx'

interface StorageSectionProps {
  readonly usage: Usage
}

/** What is stored, and what happens at its limit. */
export function StorageSection({ usage: { storage, plan } }: StorageSectionProps) {
  const limit = plan.storageBytes
  const consequence =
    'writes that would store more are refused (USAGE_LIMIT_EXCEEDED, status 402). Smaller values and deletions pass.'
  return (
    <Section title="Storage">
      <Text>{amountText(storage.bytes, limit, bytesText)}.</Text>
      <LimitBar label="Storage" used={storage.bytes} limit={limit} />
      {limit !== undefined && storage.bytes >= limit ? (
        <Notice kind="warning" title="The limit is reached">
          Now {consequence}
        </Notice>
      ) : (
        <Text size="sm" c="dimmed">
          {limit === undefined ? 'The plan has no limit.' : `At the limit, ${consequence}`} The present values count, as
          they are encrypted; their history does not.
        </Text>
      )}
    </Section>
  )
}
