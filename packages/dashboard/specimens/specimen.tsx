import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SpecimenProps {
  readonly title: string
  readonly children: ReactNode
}

/** A component in its states. */
export function Specimen({ title, children }: SpecimenProps) {
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}
