import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { projectsQuery } from '../../features/projects/queries.ts'
import { useScope } from '../../session/use-scope.ts'
import { useCommandKeys } from '../../ui/commands.ts'
import { PageTitleContext, type TitleContext } from '../../ui/page-title.ts'
import { mainId } from '../../ui/skip-link.tsx'
import { PhoneBar } from './phone-bar.tsx'
import { ServerBanner } from './server-banner.tsx'
import classes from './shell.module.css'
import { Sidebar, useIsRail } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'
import { useGlobalCommands } from './use-global-commands.ts'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcut-sheet.tsx')).ShortcutSheet }))

/** The frame of every page of an organization. */
export function Shell() {
  const [isRail, setRail] = useIsRail()
  const [hasPalette, palette] = useDisclosure()
  const [hasShortcuts, shortcuts] = useDisclosure()
  useCommandKeys()
  useGlobalCommands({ openPalette: palette.open, openShortcuts: shortcuts.open })
  return (
    <div className={classes['shell']} data-rail={isRail || undefined}>
      <Sidebar isRail={isRail} setRail={setRail} onShortcuts={shortcuts.open} />
      <div className={classes['column']}>
        <TopBar onSearch={palette.open} />
        <ServerBanner />
        <main id={mainId} className={classes['main']}>
          <PageTitleContext value={useTitleContext()}>
            <Outlet />
          </PageTitleContext>
        </main>
      </div>
      <PhoneBar onShortcuts={shortcuts.open} />
      <OnceOpened opened={hasPalette}>
        <Palette opened={hasPalette} onClose={palette.close} />
      </OnceOpened>
      <OnceOpened opened={hasShortcuts}>
        <ShortcutSheet opened={hasShortcuts} onClose={shortcuts.close} />
      </OnceOpened>
    </div>
  )
}

/** Returns the project and the open variable of the address. */
function useTitleContext(): TitleContext {
  const { projectSlug } = useParams({ strict: false })
  const { variable: subject } = useSearch({ strict: false })
  const { data } = useQuery(projectsQuery(useScope()))
  const project = data?.find((each) => each.projectSlug === projectSlug)
  const place = project?.name ?? projectSlug
  return useMemo(() => ({ subject, place }), [subject, place])
}

interface OnceOpenedProps {
  readonly opened: boolean
  readonly children: ReactNode
}

/** Loads a dialog when it is first opened, and keeps it for its way out. */
function OnceOpened({ opened, children }: OnceOpenedProps) {
  const [wasOpened, setOpened] = useState(opened)
  if (opened && !wasOpened) setOpened(true)
  return wasOpened && <Suspense>{children}</Suspense>
}
