import { useDisclosure, useTimeout } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useParams, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { projectsQuery } from '../../data/projects/queries.ts'
import { loaded } from '../../lib/code.ts'
import { CompanyRequired } from '../../features/sign-in/company-required.tsx'
import { ScopeContext, scopeIn, useOpenedOrganization, useScope, whoamiQuery } from '../../session/scope.ts'
import { useCommandKeys } from '../../ui/commands.ts'
import { OnceOpened } from '../../ui/dialog.tsx'
import { useFocusWatcher } from '../../ui/focus.ts'
import { mainId, PageTitleContext, type TitleContext } from '../../ui/page.tsx'
import { UnsavedChangesProvider } from '../../features/changes/unsaved-changes.tsx'
import { NotAMember } from '../../features/organizations/not-a-member.tsx'
import { OtherSignIn } from '../../features/organizations/organizations-page.tsx'
import { useViewer } from '../../session/viewer.ts'
import { connect } from '../../service/connection.ts'
import { hasCode } from '../../service/errors.ts'
import { useReachability } from '../../service/reachability.ts'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { Banner } from '../../ui/notice.tsx'
import { loadToasts, toast } from '../../ui/toast.tsx'
import { labels } from '../labels.ts'
import { collectTyping, takeTyping } from './early-typing.ts'
import { CardLayout } from './card-layout.tsx'
import { DemoBanner } from './demo-banner.tsx'
import { PhoneBar } from './phone-bar.tsx'
import classes from './shell.module.css'
import { Sidebar, useIsRail } from './sidebar.tsx'
import { SkipToGrid } from './skip-to-grid.tsx'
import { TopBar } from './top-bar.tsx'
import { type GlobalCommandsProps, useGlobalCommands } from './use-global-commands.ts'

const loadPalette = () => loaded(() => import('./palette.tsx'))
const loadShortcuts = () => loaded(() => import('./shortcut-sheet.tsx'))
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const ShortcutSheet = lazy(async () => ({ default: (await loadShortcuts()).ShortcutSheet }))

const SecondFactorRequired = lazy(async () => ({
  default: (await loaded(() => import('../../features/account/second-factor-required.tsx'))).SecondFactorRequired,
}))

/** Shows a page of an organization with navigation, search and banners. */
function Shell() {
  const isPhone = useIsPhone()
  const [isRail, setRail] = useIsRail()
  const [hasPalette, palette] = useDisclosure(false, { onOpen: collectTyping, onClose: takeTyping })
  const [hasShortcuts, shortcuts] = useDisclosure()
  useCommandKeys()
  usePreloadedParts()
  useFocusWatcher()
  return (
    <div className={classes['shell']} data-rail={isRail || undefined}>
      <SkipToGrid />
      <GlobalCommands openPalette={palette.open} openShortcuts={shortcuts.open} />
      {!isPhone && <Sidebar isRail={isRail} setRail={setRail} onShortcuts={shortcuts.open} />}
      <div className={classes['column']}>
        <TopBar onSearch={palette.open} />
        <DemoBanner />
        <ServerBanner />
        <main id={mainId} className={classes['main']}>
          <TitledOutlet />
        </main>
      </div>
      {isPhone && <PhoneBar onShortcuts={shortcuts.open} />}
      <OnceOpened opened={hasPalette}>
        <Suspense>
          <Palette opened={hasPalette} onClose={palette.close} />
        </Suspense>
      </OnceOpened>
      <OnceOpened opened={hasShortcuts}>
        <Suspense>
          <ShortcutSheet opened={hasShortcuts} onClose={shortcuts.close} />
        </Suspense>
      </OnceOpened>
    </div>
  )
}

/** How long the page has for itself before the rest loads. */
const preloadAfterMs = 1_000

function preload(): void {
  for (const load of [loadPalette, loadShortcuts, loadToasts]) void load()
}

/** Loads what a key opens and what tells of an error, so that both are there at once, and without the server. */
function usePreloadedParts(): void {
  useTimeout(preload, preloadAfterMs, { autoInvoke: true })
}

/** Offers the commands, in a component without children because they change when more is known about the organization. */
function GlobalCommands(props: GlobalCommandsProps) {
  useGlobalCommands(props)
  return null
}

/** Shows the page, whose title names the project and the open variable of the address. */
function TitledOutlet() {
  return (
    <PageTitleContext value={useTitleContext()}>
      <Outlet />
    </PageTitleContext>
  )
}

function useTitleContext(): TitleContext {
  const { projectSlug } = useParams({ strict: false })
  const subject = useSearch({ strict: false, select: ({ variable }) => variable })
  const { data } = useQuery(projectsQuery(useScope()))
  const project = data?.find((each) => each.projectSlug === projectSlug)
  const place = project?.name ?? projectSlug
  return useMemo(() => ({ subject, place }), [subject, place])
}

interface AdmittedProps {
  readonly children: ReactNode
}

/** Shows the organization, or how to enter it if it requires another sign-in than the person's. */
function Admitted({ children }: AdmittedProps) {
  const viewer = useViewer()
  const scope = useScope()
  const { error } = useQuery(whoamiQuery(scope))
  // The new recovery codes of a second factor, which opens the organization, are seen to the end.
  const [hasCodes, setHasCodes] = useState(false)
  if (viewer.provider !== 'embedded') return children
  const refused = { viewer, name: scope.organization?.name ?? scope.orgSlug }
  if (hasCode(error, 'COMPANY_SIGN_IN_REQUIRED')) {
    return (
      <CardLayout>
        <CompanyRequired {...refused} />
      </CardLayout>
    )
  }
  if (!hasCodes && !hasCode(error, 'SECOND_FACTOR_MISSING')) return children
  return (
    <CardLayout>
      <Suspense>
        <SecondFactorRequired {...refused} onCodes={setHasCodes} />
      </Suspense>
    </CardLayout>
  )
}

/** Shows the pages of an organization to its members. Nothing of one organization shows in the pages of another. */
export function OrganizationRoute() {
  const { orgSlug } = useParams({ from: '/signed-in/o/$orgSlug' })
  const viewer = useViewer()
  const scope = useMemo(() => scopeIn(viewer, orgSlug), [viewer, orgSlug])
  useOpenedOrganization(scope?.organization)
  if (scope) {
    return (
      <ScopeContext value={scope}>
        {/* Unsaved changes must not reach another organization or another person. */}
        <UnsavedChangesProvider key={`${scope.userId}/${orgSlug}`}>
          <Admitted>
            <Shell />
          </Admitted>
        </UnsavedChangesProvider>
      </ScopeContext>
    )
  }
  return (
    <CardLayout>
      {viewer.provider === 'embedded' ? (
        <NotAMember orgSlug={orgSlug} viewer={viewer} />
      ) : (
        <OtherSignIn orgSlug={orgSlug} viewer={viewer} />
      )}
    </CardLayout>
  )
}

const retryIntervalMs = 3000
/** How long after the first request without an answer another one confirms that the server is lost. */
const confirmAfterMs = 500

/** Shows that the server does not answer, repeats a request until it does, and then refreshes the data of the page. */
function ServerBanner() {
  const reachability = useReachability()
  const queryClient = useQueryClient()
  useQuery({
    queryKey: ['server-answers'],
    queryFn: () => connect().call('webSettings', {}),
    enabled: reachability !== 'reachable',
    refetchInterval: ({ state }) =>
      state.status === 'error' && reachability !== 'lost' ? confirmAfterMs : retryIntervalMs,
    gcTime: 0,
  })
  const before = useRef(reachability)
  const wasLost = useRef(false)
  useEffect(() => {
    if (before.current === 'lost' && reachability !== 'lost') void queryClient.invalidateQueries()
    before.current = reachability
    if (reachability === 'lost') wasLost.current = true
    // Not while the banner still says that live updates are away.
    if (reachability !== 'reachable' || !wasLost.current) return
    wasLost.current = false
    toast.info(labels.server.found)
  }, [reachability, queryClient])
  if (reachability === 'reachable' || reachability === 'doubtful') return null
  return (
    <div className={classes['over']}>
      <Banner kind={reachability === 'lost' ? 'offline' : 'warning'}>{labels.server[reachability]}</Banner>
    </div>
  )
}
