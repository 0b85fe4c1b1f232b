import { Outlet, useMatches, useNavigate, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { AppShell, Button, Container, Menu, Text } from '@mantine/core'
import { useOpenedOrganization } from '../../session/use-opened-organization.ts'
import { ScopeContext, useScope } from '../../session/use-scope.ts'
import { useEmbeddedViewer, useViewer } from '../../session/viewer-context.ts'
import { UnsavedChangesProvider } from '../../features/changes/unsaved-changes.tsx'
import { NotAMember } from '../../features/organizations/not-a-member.tsx'
import { OtherSignIn } from '../../features/organizations/other-sign-in.tsx'
import { scopeIn } from '../../session/scope.ts'
import { mainId } from '../../ui/skip-link.tsx'
import { BusyButton } from '../../ui/busy-button.tsx'
import { FloatingError } from '../../ui/floating-error.tsx'
import { useSignOut } from '../../session/use-sign-out.ts'
import { ChevronIcon } from '../../ui/chevron-icon.tsx'
import { Brand } from './brand.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import classes from './shell.module.css'
import { PageLinks } from './page-links.tsx'

/** The pages of an organization, for those whose sign-in reaches it. Nothing of one shows in the pages of another. */
export function OrganizationRoute() {
  const { orgSlug } = useParams({ from: '/signed-in/o/$orgSlug' })
  const viewer = useViewer()
  const scope = useMemo(() => scopeIn(viewer, orgSlug), [viewer, orgSlug])
  useOpenedOrganization(scope?.organization)
  if (scope) {
    return (
      <ScopeContext value={scope}>
        {/* What a person collects must not reach another organization or another person. */}
        <UnsavedChangesProvider key={`${scope.userId}/${orgSlug}`}>
          <Shell />
        </UnsavedChangesProvider>
      </ScopeContext>
    )
  }
  return viewer.provider === 'embedded' ? (
    <NotAMember orgSlug={orgSlug} viewer={viewer} />
  ) : (
    <OtherSignIn orgSlug={orgSlug} viewer={viewer} />
  )
}

/** The frame of every page for signed-in people. */
function Shell() {
  const { provider, orgSlug } = useScope()
  const isWide = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isWide === true) })
  return (
    <AppShell className={classes['shell']} mode="static" header={{ height: { base: 116, sm: 68 } }}>
      <AppShell.Header className={classes['header']}>
        <div className={classes['brand']}>
          <Brand orgSlug={orgSlug} />
        </div>
        {provider === 'embedded' && <OrganizationMenu />}
        <Navigation />
        <div className={classes['color-scheme']}>
          <ColorSchemeSwitch />
        </div>
        <SignOutButton />
      </AppShell.Header>
      <AppShell.Main id={mainId}>
        <Container size={isWide ? 1440 : 'md'} px="md" pt={{ base: 'lg', sm: 40 }} pb={64}>
          <Outlet />
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

/** The way home is the brand. */
const pages = [
  { to: './projects', label: 'Projects' },
  { to: './usage', label: 'Usage' },
  { to: './organization', label: 'Organization' },
  { to: './account', label: 'Account' },
] as const

function Navigation() {
  return <PageLinks label="Main" pages={pages} className={classes['navigation']} />
}

function SignOutButton() {
  const signOut = useSignOut('/sign-in')
  return (
    <>
      <BusyButton
        className={classes['sign-out']}
        variant="default"
        isBusy={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </BusyButton>
      <FloatingError error={signOut.error} />
    </>
  )
}

/** The organization of the page, and the way to another one. */
function OrganizationMenu() {
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
