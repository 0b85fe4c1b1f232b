import { Button, Menu, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ChevronIcon } from '../components/chevron-icon.tsx'
import { FloatingProblem } from '../components/floating-problem.tsx'
import { useActivateOrganization } from '../hooks/use-activate-organization.ts'
import { useEmbeddedViewer } from '../hooks/viewer-context.ts'
import classes from './shell.module.css'

/** The active organization, and the way to another one. */
export function OrganizationMenu() {
  const { organization, organizations } = useEmbeddedViewer()
  const activate = useActivateOrganization()
  const navigate = useNavigate()
  const name = organization?.name ?? 'No organization'
  return (
    <>
      <Menu position="bottom-start" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            className={classes['organization']}
            variant="default"
            rightSection={<ChevronIcon />}
            aria-label={`Organization: ${name}`}
          >
            <Text component="span" truncate>
              {name}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.RadioGroup value={organization?.id ?? null} onChange={(id) => activate.mutate(id)}>
            {organizations.map((each) => (
              <Menu.RadioItem key={each.id} value={each.id} closeMenuOnClick>
                {each.name}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item onClick={() => void navigate({ to: '/organizations' })}>
            Choose or create an organization
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FloatingProblem error={activate.error} />
    </>
  )
}
