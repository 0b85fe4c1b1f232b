import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { roleNames } from '../../lib/roles.ts'
import { useScope } from '../../session/use-scope.ts'
import { useSignOut } from '../../session/use-sign-out.ts'
import { useViewer } from '../../session/viewer-context.ts'
import { whoamiQuery } from '../../session/whoami.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { FloatingError } from '../../ui/floating-error.tsx'
import {
  IconAccount,
  IconDark,
  IconDocumentation,
  IconKeyboard,
  IconLight,
  IconSignOut,
  IconSystem,
} from '../../ui/icons.ts'
import { Keys } from '../../ui/keys.tsx'
import { documentationUrl, labels } from '../labels.ts'
import { RailTooltip } from './rail-tooltip.tsx'
import classes from './sidebar.module.css'

interface AccountMenuProps {
  readonly isRail: boolean
  readonly onShortcuts: () => void
}

/** Who is signed in, and what concerns them alone. */
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
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Item
        leftSection={<IconAccount />}
        onClick={() => void navigate({ to: '/o/$orgSlug/account', params: { orgSlug } })}
      >
        {labels.pages.account}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconDocumentation />}
        component="a"
        href={documentationUrl}
        target="_blank"
        rel="noreferrer"
      >
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
