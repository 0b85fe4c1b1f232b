import { Paper, Stack, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

interface SectionProps {
  readonly title: string
  readonly children: ReactNode
}

/** A part of a page, under a heading of its own. */
export function Section({ title, children }: SectionProps) {
  const headingId = useId()
  return (
    <Paper component="section" aria-labelledby={headingId} withBorder radius="lg" p={{ base: 'md', sm: 'lg' }}>
      <Stack align="stretch">
        <Title id={headingId} order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
