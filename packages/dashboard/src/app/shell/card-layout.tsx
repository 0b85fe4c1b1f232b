import { Box, Container, Group, Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from './brand.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { mainId } from '../../ui/skip-link.tsx'

interface CardLayoutProps {
  readonly children: ReactNode
}

/** One thing to do, in the middle of the page. */
export function CardLayout({ children }: CardLayoutProps) {
  return (
    <>
      <Group component="header" justify="space-between" px="md" py="xs">
        <Brand />
        <ColorSchemeSwitch />
      </Group>
      <Box component="main" id={mainId} data-card px="md" pt={{ base: 'md', sm: 64 }} pb={64}>
        <Container size={480} p={0}>
          <Paper withBorder shadow="sm" radius="lg" p={{ base: 'lg', sm: 'xl' }}>
            {children}
          </Paper>
        </Container>
      </Box>
    </>
  )
}
