import { AppShell, Container } from '@mantine/core'
import { Outlet, useMatches } from '@tanstack/react-router'
import { Brand } from './brand.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { mainId } from '../../ui/skip-link.tsx'
import { useScope } from '../../session/use-scope.ts'
import { Navigation } from './navigation.tsx'
import { OrganizationMenu } from './organization-menu.tsx'
import classes from './shell.module.css'
import { SignOutButton } from './sign-out-button.tsx'

/** The frame of every page for signed-in people. */
export function Shell() {
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
