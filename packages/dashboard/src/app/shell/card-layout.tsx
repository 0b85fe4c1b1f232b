import { ActionIcon, Box, Container, Group, Paper, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { Outlet } from '@tanstack/react-router'
import { useCommandKeys, useCommands } from '../../ui/commands.ts'
import { mainId } from '../../ui/page.tsx'
import { IconDark, IconLight } from '../../ui/icons.ts'
import { DemoBanner } from './demo-banner.tsx'
import { formCommands } from '../../ui/form-commands.ts'
import { Brand } from './sidebar.tsx'
import { labels } from '../labels.ts'

interface CardLayoutProps {
  readonly children: ReactNode
}

/** Shows a single task in the middle of the page. */
export function CardLayout({ children }: CardLayoutProps) {
  useCommands(formCommands)
  useCommandKeys()
  return (
    <>
      <DemoBanner />
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

export function CardRoute() {
  return (
    <CardLayout>
      <Outlet />
    </CardLayout>
  )
}

function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <ActionIcon
      size="lg"
      aria-label={labels.themeActions[isDark ? 'light' : 'dark']}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconLight /> : <IconDark />}
    </ActionIcon>
  )
}
