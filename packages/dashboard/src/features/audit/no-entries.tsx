import { Text } from '@mantine/core'

interface NoEntriesProps {
  readonly isFiltered: boolean
}

export function NoEntries({ isFiltered }: NoEntriesProps) {
  return (
    <Text c="dimmed" role="status">
      {isFiltered
        ? 'Nothing like this was done. Take a filter away to see more.'
        : 'Nothing was done yet. Every change, every revealed value and every login will be here.'}
    </Text>
  )
}
