import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useScope } from '../../session/use-scope.ts'
import { useViewer } from '../../session/viewer-context.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { IconAdd, IconUpDown } from '../../ui/icons.ts'
import { labels } from '../labels.ts'
import { RailTooltip } from './rail-tooltip.tsx'
import classes from './sidebar.module.css'

interface OrganizationMenuProps {
  readonly isRail: boolean
}

/** The organization of the page, and the way to another one. */
export function OrganizationMenu({ isRail }: OrganizationMenuProps) {
  const viewer = useViewer()
  const { orgSlug, organization } = useScope()
  const navigate = useNavigate()
  const name = organization?.name ?? orgSlug
  const face = (
    <>
      <VisuallyHidden>{labels.organization}</VisuallyHidden>
      <Avatar name={name} />
      <span className={classes['text']}>{name}</span>
    </>
  )
  // The external provider alone knows the person's other organizations.
  if (viewer.provider === 'outside') return <div className={classes['face']}>{face}</div>
  return (
    <Menu position="bottom-start" withInitialFocusPlaceholder={false} width={240}>
      <RailTooltip label={name} isRail={isRail}>
        <Menu.Target>
          <UnstyledButton className={classes['face'] ?? ''}>
            {face}
            <IconUpDown />
          </UnstyledButton>
        </Menu.Target>
      </RailTooltip>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={orgSlug}
          onChange={(slug) => void navigate({ to: '/o/$orgSlug', params: { orgSlug: slug } })}
        >
          {viewer.organizations.map((each) => (
            <Menu.RadioItem key={each.id} value={each.slug} closeMenuOnClick className="wrapping">
              {each.name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconAdd />} onClick={() => void navigate({ to: '/organizations' })}>
          {labels.createOrganization}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
