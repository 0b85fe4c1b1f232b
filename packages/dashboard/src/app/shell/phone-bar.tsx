import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { mayBy } from '../../lib/may.ts'
import { useScope, whoamiQuery } from '../../session/scope.ts'
import { IconMore } from '../../ui/icons.ts'
import { labels } from '../labels.ts'
import { type PageEntry, pagesFor } from '../pages.ts'
import { NeedingBadge } from './needing-badge.tsx'
import { AccountMenu, OrganizationMenu } from './menus.tsx'
import classes from './phone-bar.module.css'
import sidebarClasses from './sidebar.module.css'
import { Drawer } from '../../ui/dialog.tsx'

/** How many pages are in the bar; the sheet has the others. */
const direct = 4

interface PhoneBarProps {
  readonly onShortcuts: () => void
}

/** Links to every page on a phone, at the foot of the window. */
export function PhoneBar({ onShortcuts }: PhoneBarProps) {
  const scope = useScope()
  const { data: self } = useQuery(whoamiQuery(scope))
  const [isOpen, { open, close }] = useDisclosure()
  const pages = pagesFor(self && mayBy(self.verbs))
  const isElsewhere = useIsElsewhere(pages.slice(0, direct))
  return (
    <nav aria-label={labels.navigation} className={classes['bar']}>
      {pages.slice(0, direct).map((page) => (
        <PageLink key={page.to} page={page} className={classes['item'] ?? ''} iconSize={22} />
      ))}
      <button
        type="button"
        className={classes['item']}
        aria-haspopup="dialog"
        aria-current={isElsewhere || undefined}
        onClick={open}
      >
        <IconMore size={22} />
        {labels.more}
      </button>
      <Drawer opened={isOpen} onClose={close} position="bottom" className={classes['sheet'] ?? ''} title={labels.more}>
        <ul className={sidebarClasses['pages']}>
          {pages.slice(direct).map((page) => (
            <li key={page.to}>
              <PageLink page={page} className={sidebarClasses['link'] ?? ''} iconSize={18} onClick={close} />
            </li>
          ))}
        </ul>
        <div className={classes['account']}>
          <OrganizationMenu isRail={false} />
          <AccountMenu isRail={false} onShortcuts={onShortcuts} />
        </div>
      </Drawer>
    </nav>
  )
}

/** Returns whether the page is one that the sheet leads to, or below it: none of these pages, of which the projects have others below. */
function useIsElsewhere(pages: readonly PageEntry[]): boolean {
  const { orgSlug } = useScope()
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') })
  const start = `/o/${orgSlug}`
  const others = pages.map(({ to }) => to.replace('/o/$orgSlug', start)).filter((each) => each !== start)
  return path !== start && [...others, `${start}/p`].every((each) => !`${path}/`.startsWith(`${each}/`))
}

interface PageLinkProps {
  readonly page: PageEntry
  readonly className: string
  readonly iconSize: number
  readonly onClick?: () => void
}

function PageLink({ page: { to, label, icon: PageIcon }, className, iconSize, onClick }: PageLinkProps) {
  const { orgSlug } = useScope()
  const isInProject = useLocation({ select: ({ pathname }) => pathname.startsWith(`/o/${orgSlug}/p/`) })
  return (
    <Link
      to={to}
      params={{ orgSlug }}
      activeOptions={{ exact: to === '/o/$orgSlug', includeSearch: false }}
      className={className}
      data-current={(to === '/o/$orgSlug/projects' && isInProject) || undefined}
      {...(onClick && { onClick })}
    >
      <PageIcon size={iconSize} />
      <span>{label}</span>
      {to === '/o/$orgSlug/changes' && <NeedingBadge className={classes['badge']} />}
    </Link>
  )
}
