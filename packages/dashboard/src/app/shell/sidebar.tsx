import { labels as uiLabels } from '../../ui/labels.ts'
import { ActionIcon, Tooltip } from '@mantine/core'
import { useLocalStorage, useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { flushSync } from 'react-dom'
import { mayBy } from '../../lib/may.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { IconSidebar } from '../../ui/icons.ts'
import { labels } from '../labels.ts'
import { pagesFor } from '../pages.ts'
import { Logo } from '../../ui/logo.tsx'
import { AccountMenu, OrganizationMenu, RailTooltip } from './menus.tsx'
import { NeedingBadge } from './needing-badge.tsx'
import { useShortcutProjects } from './use-global-commands.ts'
import classes from './sidebar.module.css'

/** Windows that have room for names beside the icons. */
const hasRoom = '(min-width: 62em)'

export function useIsRail(): [isRail: boolean, setRail: (isRail: boolean) => void] {
  const [isCollapsed, setCollapsed] = useLocalStorage({
    key: 'rollkey-sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const isWide = useMediaQuery(hasRoom, true, { getInitialValueInEffect: false })
  return [isCollapsed || !isWide, setCollapsed]
}

interface RailProps {
  /** Whether only icons are shown. */
  readonly isRail: boolean
  readonly setRail: (isRail: boolean) => void
}

interface SidebarProps extends RailProps {
  readonly onShortcuts: () => void
}

/** Links to every page of the organization. */
export function Sidebar({ isRail, setRail, onShortcuts }: SidebarProps) {
  const { orgSlug } = useScope()
  return (
    <nav aria-label={labels.navigation} className={classes['sidebar']}>
      <div className={classes['top']}>
        <Brand orgSlug={orgSlug} />
        {!isRail && <RailButton isRail={isRail} setRail={setRail} />}
      </div>
      <OrganizationMenu isRail={isRail} />
      <ul className={classes['pages']}>
        <Pages isRail={isRail} />
      </ul>
      {isRail && <RailButton isRail={isRail} setRail={setRail} />}
      <AccountMenu isRail={isRail} onShortcuts={onShortcuts} />
    </nav>
  )
}

function RailButton({ isRail, setRail }: RailProps) {
  const label = isRail ? labels.expand : labels.collapse
  const toggle = ({ currentTarget }: MouseEvent): void => {
    const sidebar = currentTarget.closest('nav')
    // The button moves to another place, and the focus with it.
    flushSync(() => setRail(!isRail))
    sidebar?.querySelector<HTMLElement>('[data-toggle]')?.focus()
  }
  return (
    <Tooltip label={label} position="right">
      <ActionIcon className={classes['toggle'] ?? ''} data-toggle aria-label={label} onClick={toggle}>
        <IconSidebar size={18} />
      </ActionIcon>
    </Tooltip>
  )
}

interface PagesProps {
  readonly isRail: boolean
}

function Pages({ isRail }: PagesProps) {
  const scope = useScope()
  const { orgSlug } = scope
  const { data: self } = useQuery(whoamiQuery(scope))
  return pagesFor(self && mayBy(self.verbs)).map(({ to, label, icon: PageIcon }) => (
    <li key={to}>
      <RailTooltip label={label} isRail={isRail}>
        <Link
          to={to}
          params={{ orgSlug }}
          activeOptions={{ exact: to === '/o/$orgSlug', includeSearch: false }}
          className={classes['link'] ?? ''}
        >
          <PageIcon size={18} />
          <span className={classes['text']}>{label}</span>
          {to === '/o/$orgSlug/changes' && <NeedingBadge />}
        </Link>
      </RailTooltip>
      {to === '/o/$orgSlug/projects' && !isRail && <RecentProjects />}
    </li>
  ))
}

function RecentProjects() {
  const { orgSlug } = useScope()
  const projects = useShortcutProjects()
  return (
    projects.length > 0 && (
      <ul className={classes['projects']}>
        {projects.map(({ projectSlug, name }) => (
          <li key={projectSlug}>
            <Link
              to="/o/$orgSlug/p/$projectSlug"
              params={{ orgSlug, projectSlug }}
              activeOptions={{ includeSearch: false }}
              className={classes['link'] ?? ''}
            >
              <span className={classes['text']}>{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    )
  )
}

interface BrandProps {
  /** The organization whose overview it opens; absent: the one that was opened last. */
  readonly orgSlug?: string
}

export function Brand({ orgSlug }: BrandProps) {
  const start = orgSlug === undefined ? { to: '/' as const } : { to: '/o/$orgSlug' as const, params: { orgSlug } }
  return (
    <Link {...start} activeOptions={{ exact: true, includeSearch: false }} className={classes['brand'] ?? ''}>
      <Logo />
      <span className={classes['name']}>{uiLabels.product}</span>
    </Link>
  )
}
