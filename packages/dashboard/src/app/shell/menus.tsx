import { Menu, Text, Tooltip, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { roleNames } from '../../lib/roles.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { useSignOut, useViewer } from '../../session/viewer.ts'
import { Avatar } from '../../ui/name.tsx'
import { FloatingError } from '../../ui/notice.tsx'
import {
  IconAccount,
  IconAdd,
  IconDark,
  IconDocumentation,
  IconKeyboard,
  IconLight,
  IconSignOut,
  IconSystem,
  IconUpDown,
} from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { labels } from '../labels.ts'
import { useDocsAddress } from './docs-address.ts'
import classes from './sidebar.module.css'

interface AccountMenuProps {
  readonly isRail: boolean
  readonly onShortcuts: () => void
}

/** Shows who is signed in, with their account, theme and sign-out. */
export function AccountMenu({ isRail, onShortcuts }: AccountMenuProps) {
  const scope = useScope()
  const { name = labels.signedIn } = useViewer()
  const { data: self } = useQuery(whoamiQuery(scope))
  const signOut = useSignOut('/sign-in')
  return (
    <>
      <Menu position="top-start" withInitialFocusPlaceholder={false} width={240}>
        <RailTooltip label={name} isRail={isRail}>
          <Menu.Target>
            <UnstyledButton className={classes['face'] ?? ''}>
              <VisuallyHidden>{labels.accountOf}</VisuallyHidden>
              <Avatar name={name} />
              <span className={classes['text']}>{name}</span>
              {self?.role && (
                <Text component="span" className={classes['role'] ?? ''} size="xs" c="dimmed">
                  {roleNames[self.role]}
                </Text>
              )}
            </UnstyledButton>
          </Menu.Target>
        </RailTooltip>
        <Menu.Dropdown>
          <AccountItems onShortcuts={onShortcuts} />
          <Menu.Divider />
          <Menu.Item leftSection={<IconSignOut />} onClick={() => signOut.mutate()}>
            {labels.signOut}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FloatingError error={signOut.error} />
    </>
  )
}

const themes = [
  { value: 'light', icon: IconLight },
  { value: 'dark', icon: IconDark },
  { value: 'auto', icon: IconSystem },
] as const

function AccountItems({ onShortcuts }: Pick<AccountMenuProps, 'onShortcuts'>) {
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const docsAddress = useDocsAddress()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Item
        leftSection={<IconAccount />}
        onClick={() => void navigate({ to: '/o/$orgSlug/account', params: { orgSlug } })}
      >
        {labels.pages.account}
      </Menu.Item>
      <Menu.Item leftSection={<IconDocumentation />} component="a" href={docsAddress} target="_blank" rel="noreferrer">
        {labels.documentation}
      </Menu.Item>
      <Menu.Item leftSection={<IconKeyboard />} rightSection={<Keys>?</Keys>} onClick={onShortcuts}>
        {labels.keyboardShortcuts}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>{labels.theme}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
        {themes.map(({ value, icon: ThemeIcon }) => (
          <Menu.RadioItem key={value} value={value} rightSection={<ThemeIcon />}>
            {labels.themes[value]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}

interface OrganizationMenuProps {
  readonly isRail: boolean
}

/** Shows the organization of the page, and switches to another one. */
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
  if (viewer.provider === 'external') return <div className={classes['face']}>{face}</div>
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

interface RailTooltipProps {
  readonly label: string
  readonly isRail: boolean
  readonly children: ReactNode
}

/** Names what the narrow sidebar shows as an icon. */
export function RailTooltip({ label, isRail, children }: RailTooltipProps) {
  if (!isRail) return children
  return (
    <Tooltip label={label} position="right">
      {children}
    </Tooltip>
  )
}
