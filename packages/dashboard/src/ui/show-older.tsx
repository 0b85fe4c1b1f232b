import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { countText } from '../lib/numbers.ts'
import { BusyButton } from './busy-button.tsx'
import { FocusRegion } from './focus-region.tsx'

interface ShowOlderProps {
  /** Pages of what is listed, the newest first. */
  readonly list: {
    readonly fetchNextPage: () => unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly data: { readonly pages: readonly (readonly unknown[])[] } | undefined
  }
}

/** The way to the next page, below the list. */
export function ShowOlder({ list: { fetchNextPage, hasNextPage, isFetchingNextPage, data } }: ShowOlderProps) {
  // Who comes back to the list, or filters it, keeps the focus where it is.
  const [hasAsked, setAsked] = useState(false)
  if (!data) return null
  if (!hasNextPage) return hasAsked && data.pages.length > 1 && <FocusRegion>These are all.</FocusRegion>
  const showOlder = (): void => {
    setAsked(true)
    void fetchNextPage()
  }
  return (
    <Group>
      <BusyButton variant="default" isBusy={isFetchingNextPage} onClick={showOlder}>
        Show older
      </BusyButton>
      <Text role="status" c="dimmed">
        The latest {countText(data.pages.flat().length)} are shown.
      </Text>
    </Group>
  )
}
