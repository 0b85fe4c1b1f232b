import { Group, Text } from '@mantine/core'
import { BusyButton } from '../../components/busy-button.tsx'
import { FocusedPart } from '../../components/focused-part.tsx'

interface OlderEntriesProps {
  readonly log: {
    fetchNextPage(): unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly data: { readonly pages: readonly unknown[] } | undefined
  }
  /** Of the entries that are shown. */
  readonly count: number
}

export function OlderEntries({ log, count }: OlderEntriesProps) {
  if (!log.hasNextPage) return log.data && log.data.pages.length > 1 && <FocusedPart>These are all.</FocusedPart>
  return (
    <Group>
      <BusyButton variant="default" isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
        Show older
      </BusyButton>
      <Text role="status" c="dimmed">
        The latest {count.toLocaleString('en')} are shown.
      </Text>
    </Group>
  )
}
