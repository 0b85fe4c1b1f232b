/** Conditions for showing a page. Where one is not met, the guard redirects to the page that meets it, which returns here. */
import type { QueryClient } from '@tanstack/react-query'
import { notFound, redirect } from '@tanstack/react-router'
import { rememberedUserCode, returnPath } from '../session/return-path.ts'
import { hasCode } from '../service/errors.ts'
import { type Viewer, viewerKey, viewerQuery } from '../session/viewer.ts'
import { type Settings, settingsQuery } from '../session/settings.ts'
import { addressIn, isOlderPath, movedAddress } from './organization-path.ts'

export interface RouterContext {
  readonly queryClient: QueryClient
}

interface Visit<Context = RouterContext> {
  readonly context: Context
  readonly location: { readonly href: string; readonly pathname: string; readonly state: { returnTo?: string } }
}

/** Where the visit leads back to; a code that is being looked at, which is in no address, goes along. */
function pathOf({ href, pathname }: Visit['location']): string {
  const userCode = pathname === '/device' ? rememberedUserCode() : undefined
  return userCode === undefined ? href : `/device#user_code=${userCode}`
}

/** Returns the viewer. While the server does not answer, it is the last one, so that the page and what was typed in it stay. */
async function viewerOf(queryClient: QueryClient, provider: Settings['provider']): Promise<Viewer | null> {
  try {
    return await queryClient.fetchQuery(viewerQuery(provider))
  } catch (error) {
    const known = queryClient.getQueryData<Viewer | null>(viewerKey)
    if (known && hasCode(error, 'UNREACHABLE')) return known
    throw error
  }
}

export async function loadSettings({ context }: Visit): Promise<{ settings: Settings }> {
  return { settings: await context.queryClient.ensureQueryData(settingsQuery) }
}

type SettledVisit = Visit<RouterContext & { readonly settings: Settings }>

export async function requireViewer({ context, location }: SettledVisit): Promise<{ viewer: Viewer }> {
  const viewer = await viewerOf(context.queryClient, context.settings.provider)
  if (!viewer) throw redirect({ to: '/sign-in', state: { returnTo: pathOf(location) } })
  return { viewer }
}

/** Redirects a person without an organization. At an external provider there is always one. */
export function requireOrganization({ context: { viewer }, location }: Visit<{ readonly viewer: Viewer }>): void {
  if (viewer.provider === 'external' || viewer.organizations.length > 0) return
  throw redirect({ to: '/organizations', state: { returnTo: pathOf(location) } })
}

/** Redirects an address without an organization to the one that was opened last, if necessary after a sign-in. */
export async function leadToOrganization(visit: SettledVisit): Promise<never> {
  const { location } = visit
  if (!isOlderPath(location.pathname)) throw notFound()
  const { organization } = (await requireViewer(visit)).viewer
  if (!organization) throw redirect({ to: '/organizations', state: { returnTo: pathOf(location) } })
  throw redirect({ href: addressIn(organization.slug, location.href), replace: true })
}

/** Redirects to the present address of a page. */
export function leadToMoved({ location }: Visit<unknown>): never {
  const href = movedAddress(location.href)
  if (href === undefined) throw notFound()
  throw redirect({ href, replace: true })
}

/** Redirects signed-in people away from the pages for signing in. */
export async function requireStranger({ context, location }: SettledVisit): Promise<void> {
  const { queryClient, settings } = context
  const viewer = await viewerOf(queryClient, settings.provider)
  if (viewer) throw redirect({ href: returnPath(location.state.returnTo) })
}

/** Redirects to the page of the setup link while no one has an account. */
export async function requireSetup(visit: SettledVisit): Promise<void> {
  await requireStranger(visit)
  const { queryClient, settings } = visit.context
  if (!needsSetup(settings)) return
  // Another tab may have done it.
  if (needsSetup(await queryClient.fetchQuery({ ...settingsQuery, staleTime: 0 }))) throw redirect({ to: '/setup' })
}

function needsSetup(settings: Settings): boolean {
  return settings.provider === 'embedded' && settings.signUp === 'invitation' && !settings.isSetUp
}

interface LinkVisit {
  readonly location: { readonly searchStr: string }
}

/** A code in the query, which logs and the history show, moves into the fragment, which the page takes. */
export function moveUserCode({ location: { searchStr } }: LinkVisit): void {
  const userCode = new URLSearchParams(searchStr).get('user_code')
  if (userCode === null) return
  throw redirect({
    to: '/device',
    search: {},
    hash: new URLSearchParams({ user_code: userCode }).toString(),
    replace: true,
  })
}
