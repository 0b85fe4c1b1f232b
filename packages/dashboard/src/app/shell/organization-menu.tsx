import { Button, Menu, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { ChevronIcon } from '../../ui/chevron-icon.tsx'
import { useScope } from '../../session/use-scope.ts'
import { useEmbeddedViewer } from '../../session/viewer-context.ts'
import classes from './shell.module.css'

/** The organization of the page, and the way to another one. */
export function OrganizationMenu() {
  const { organizations } = useEmbeddedViewer()
  const { orgSlug, organization } = useScope()
  const navigate = useNavigate()
  const name = organization?.name ?? orgSlug
  return (
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
        <Menu.RadioGroup
          value={orgSlug}
          onChange={(slug) => void navigate({ to: '/o/$orgSlug', params: { orgSlug: slug } })}
        >
          {organizations.map((each) => (
            <Menu.RadioItem key={each.id} value={each.slug} closeMenuOnClick>
              {each.name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void navigate({ to: '/organizations' })}>Choose or create an organization</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
