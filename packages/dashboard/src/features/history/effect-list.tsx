import { Group, Stack, Text, Title } from '@mantine/core'
import { useId } from 'react'
import type { Effect } from './effects.ts'
import classes from './history.module.css'

interface EffectListProps {
  readonly effects: readonly Effect[]
}

/** What restoring would do, by variable. */
export function EffectList({ effects }: EffectListProps) {
  const headingId = useId()
  return (
    <Stack gap="xs">
      <Title id={headingId} order={3} size="h5">
        What restoring does
      </Title>
      <Stack
        component="ul"
        className={`plain-list wrapping ${classes['effects']}`}
        gap={4}
        // It scrolls where it is long.
        tabIndex={0}
        aria-labelledby={headingId}
      >
        {effects.map(({ name, words }) => (
          <Group component="li" key={name} justify="space-between" gap="0 var(--mantine-spacing-md)">
            <bdi>{name}</bdi>
            <Text size="sm" c="dimmed">
              {words}
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}
