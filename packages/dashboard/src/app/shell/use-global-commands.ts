import type { Project } from '@rollkey/sdk/core'
import { useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isApple } from '../../lib/browser.ts'
import { mayBy } from '../../lib/may.ts'
import { useMay, useMayAnywhere } from '../../session/permissions.ts'
import { useIsManager, useScope, whoamiQuery } from '../../session/scope.ts'
import { useSignOut, useViewer } from '../../session/viewer.ts'
import { type Command, requestCommand, useCommands } from '../../ui/commands.ts'
import {
  IconAccount,
  IconAdd,
  IconDark,
  IconDocumentation,
  IconInvite,
  IconKeyboard,
  IconLight,
  IconOrganization,
  IconPaste,
  IconPeople,
  IconProject,
  IconProtected,
  IconRoll,
  IconSearch,
  IconSend,
  IconSession,
  IconSignOut,
  IconSystem,
  IconToken,
  IconUsage,
} from '../../ui/icons.ts'
import { runLatest, toast } from '../../ui/toast.tsx'
import { labels } from '../labels.ts'
import { pagesFor } from '../pages.ts'
import { useDocsAddress } from './docs-address.ts'
import { formCommands } from '../../ui/form-commands.ts'
import { newRollCommand } from '../../data/projects/commands.ts'
import { useProjectsByUse } from '../../data/projects/queries.ts'

const { commands: words, pages: names } = labels

export interface GlobalCommandsProps {
  readonly openPalette: () => void
  readonly openShortcuts: () => void
}

/** Their toast is in sight, also beside the drawer that saved. On a Mac, ⌘Y belongs to the browser. */
const reversalCommands = (
  [
    ['undo', 'u'],
    ['undo', 'mod+z'],
    ['redo', 'shift+u'],
    ['redo', 'mod+shift+z'],
    ...(isApple ? [] : [['redo', 'mod+y'] as const]),
  ] as const
).map(([kind, keys]): Command => ({
  label: words[kind],
  keys,
  isKeyOnly: true,
  isOverDrawers: true,
  run: () => runLatest(kind),
}))

/** Offers the commands that every page of an organization has. */
export function useGlobalCommands({ openPalette, openShortcuts }: GlobalCommandsProps): void {
  const docsAddress = useDocsAddress()
  const documentation: Command = {
    label: labels.documentation,
    icon: IconDocumentation,
    run: () => void globalThis.open(docsAddress, '_blank', 'noreferrer'),
  }
  // The palette and the help sheet list them in this order.
  useCommands(usePageCommands(), { group: words.pages, isGlobal: true })
  useCommands(useNewThings(), { group: words.create, isGlobal: true })
  useCommands(
    [
      documentation,
      { label: words.search, keys: 'mod+k', icon: IconSearch, isKeyOnly: true, isOverDrawers: true, run: openPalette },
      { label: words.shortcuts, keys: '?', icon: IconKeyboard, run: openShortcuts },
      ...formCommands,
      ...reversalCommands,
      ...useViewerCommands(),
    ],
    { isGlobal: true },
  )
}

function usePageCommands(): readonly Command[] {
  const scope = useScope()
  const params = { orgSlug: scope.orgSlug }
  const { data: self } = useQuery(whoamiQuery(scope))
  const may = self && mayBy(self.verbs)
  const managesAll = may?.('manage') === true
  const managesSome = useMayAnywhere('manage')
  const navigate = useNavigate()
  const deeper = [
    { to: '/o/$orgSlug/usage/callers', label: names.callers, icon: IconUsage, isShown: managesAll },
    { to: '/o/$orgSlug/members/access', label: words.organizationAccess, icon: IconProtected, isShown: managesAll },
    { to: '/o/$orgSlug/members/groups', label: names.groups, icon: IconPeople, isShown: managesSome },
    { to: '/o/$orgSlug/members/roles', label: names.roles, icon: IconProtected, isShown: managesSome },
    { to: '/o/$orgSlug/settings/tokens', label: names.tokens, icon: IconToken, isShown: managesSome },
    { to: '/o/$orgSlug/settings/keys', label: names.keys, icon: IconToken, isShown: managesSome },
    { to: '/o/$orgSlug/settings/trusts', label: names.trusts, icon: IconToken, isShown: managesSome },
    { to: '/o/$orgSlug/settings/webhooks', label: names.webhooks, icon: IconSend, isShown: managesAll },
    { to: '/o/$orgSlug/settings/sign-in', label: names.signIn, icon: IconPeople, isShown: managesAll },
    { to: '/o/$orgSlug/settings/sessions', label: names.sessions, icon: IconSession, isShown: true },
    { to: '/o/$orgSlug/account', label: names.account, icon: IconAccount, isShown: true },
  ] as const
  return [
    ...pagesFor(may).map(({ to, label, icon, key }): Command => ({
      label: label,
      icon,
      keys: `g ${key}`,
      run: () => void navigate({ to, params }),
    })),
    ...deeper
      .filter(({ isShown }) => isShown)
      .map(({ to, label, icon }): Command => ({ label, icon, run: () => void navigate({ to, params }) })),
  ]
}

/** Runs a page's command when the page is open. */
export async function runAt(id: string, opened: Promise<void>): Promise<void> {
  await opened
  requestCommand(id)
}

/** Returns the commands that open a page and its form for something new. */
function useNewThings(): readonly Command[] {
  const scope = useScope()
  const { orgSlug } = scope
  const isManager = useIsManager()
  const may = useMay()
  const mayManage = useMayAnywhere('manage')
  const navigate = useNavigate()
  const projects = useShortcutProjects().filter(({ projectSlug }) => may('write', { projectSlug }))
  const params = { orgSlug }
  const invite: Command = {
    label: words.invite,
    icon: IconInvite,
    run: () => void runAt('invite', navigate({ to: '/o/$orgSlug/members', params })),
  }
  const newToken: Command = {
    label: words.newToken,
    icon: IconToken,
    run: () => void runAt('new-token', navigate({ to: '/o/$orgSlug/settings/tokens', params })),
  }
  const newProject: Command = {
    label: words.newProject,
    icon: IconProject,
    run: () => void runAt('new-project', navigate({ to: '/o/$orgSlug/projects', params })),
  }
  return [
    ...(may('write') ? [newProject] : []),
    ...(isManager ? [invite] : []),
    ...(mayManage ? [newToken] : []),
    ...projects.flatMap(({ projectSlug, name }): Command[] => {
      const open = () => navigate({ to: '/o/$orgSlug/p/$projectSlug', params: { orgSlug, projectSlug } })
      return [
        { label: words.newVariable(name), icon: IconAdd, run: () => void runAt(`new-variable/${projectSlug}`, open()) },
        { label: words.newRoll(name), icon: IconRoll, run: () => void runAt(newRollCommand(projectSlug), open()) },
        { label: words.paste(name), icon: IconPaste, run: () => void runAt(`paste/${projectSlug}`, open()) },
      ]
    }),
  ]
}

function useViewerCommands(): readonly Command[] {
  const viewer = useViewer()
  const { orgSlug } = useScope()
  const navigate = useNavigate()
  const { setColorScheme } = useMantineColorScheme()
  const { mutate: signOut } = useSignOut('/sign-in')
  const others = viewer.provider === 'embedded' ? viewer.organizations.filter(({ slug }) => slug !== orgSlug) : []
  return [
    ...others.map(({ name, slug }): Command => ({
      label: words.switchTo(name),
      icon: IconOrganization,
      run: () => void navigate({ to: '/o/$orgSlug', params: { orgSlug: slug } }),
    })),
    ...(viewer.provider === 'embedded'
      ? [
          {
            label: labels.createOrganization,
            icon: IconOrganization,
            run: () => void navigate({ to: '/organizations' }),
          },
        ]
      : []),
    { label: words.theme(labels.themes.light), icon: IconLight, run: () => setColorScheme('light') },
    { label: words.theme(labels.themes.dark), icon: IconDark, run: () => setColorScheme('dark') },
    { label: words.theme(labels.themes.auto), icon: IconSystem, run: () => setColorScheme('auto') },
    {
      label: labels.signOut,
      icon: IconSignOut,
      run: () => signOut(undefined, { onError: (error) => toast.error(error) }),
    },
  ]
}

const maxShortcuts = 3

/** Returns the projects of the sidebar by name, so that opening one of them moves nothing. */
export function useShortcutProjects(): readonly Project[] {
  return useProjectsByUse()
    .slice(0, maxShortcuts)
    .toSorted((one, other) => one.name.localeCompare(other.name))
}
