import { Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface ProgressBarProps {
  readonly label: string
  /** From 0 to 1. */
  readonly share: number
  /** The share in words, such as "3 of 8". */
  readonly text: ReactNode
  /** @default 'usual' */
  readonly tone?: 'usual' | 'warning' | 'danger'
}

const colors = { usual: 'verdigris', warning: 'yellow', danger: 'red' }

/** How much of something is done or used. */
export function ProgressBar({ label, share, text, tone = 'usual' }: ProgressBarProps) {
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Group>
      <Progress value={Math.min(100, 100 * share)} color={colors[tone]} size="sm" aria-label={label} />
    </Stack>
  )
}
