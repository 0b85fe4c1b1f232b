import { Stack } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { PageLinks } from './page-links.tsx'

const pages = [
  { to: './organization/members', label: 'Members' },
  { to: './organization/sessions', label: 'Sessions' },
  { to: './organization/tokens', label: 'Service tokens' },
  { to: './organization/audit', label: 'Audit log' },
  { to: './organization/evaluations', label: 'Evaluations' },
  { to: './organization/settings', label: 'Settings' },
] as const

/** What concerns the whole organization. */
export function OrganizationPages() {
  return (
    <Stack gap="lg">
      <PageLinks label="Organization" pages={pages} />
      <Outlet />
    </Stack>
  )
}
