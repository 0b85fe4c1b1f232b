import { Group, Text } from '@mantine/core'
import { useState } from 'react'
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
  // Who comes back to the page, or filters it, keeps the focus where it is.
  const [hasAsked, setAsked] = useState(false)
  if (!log.hasNextPage) {
    return hasAsked && log.data && log.data.pages.length > 1 && <FocusedPart>These are all.</FocusedPart>
  }
  const showOlder = (): void => {
    setAsked(true)
    void log.fetchNextPage()
  }
  return (
    <Group>
      <BusyButton variant="default" isBusy={log.isFetchingNextPage} onClick={showOlder}>
        Show older
      </BusyButton>
      <Text role="status" c="dimmed">
        The latest {count.toLocaleString('en')} are shown.
      </Text>
    </Group>
  )
}
