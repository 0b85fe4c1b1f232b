import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { returnPath } from '../base/return-path.ts'
import { stageSearch } from '../base/stage-search.ts'
import { SkipLink } from '../components/skip-link.tsx'
import { ViewerContext } from '../hooks/viewer-context.ts'
import { finishOutsideSignIn } from '../identity/outside-sign-in.ts'
import { CardRoute } from '../layouts/card-route.tsx'
import { auditSearch } from '../organization/audit-search.ts'
import { CallbackError } from '../pages/callback/callback-error.tsx'
import { NotFoundPage } from '../pages/not-found-page.tsx'
import {
  leadToOrganization,
  loadSettings,
  requireOrganization,
  requireStranger,
  requireViewer,
  type RouterContext,
} from './guards.ts'
import { moveUserCode } from './move-user-code.ts'

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: loadSettings,
  component: () => (
    <>
      <SkipLink />
      <Outlet />
    </>
  ),
  notFoundComponent: NotFoundPage,
})

/** Pages with one thing to do, for anybody. */
const card = createRoute({
  getParentRoute: () => root,
  id: 'card',
  component: CardRoute,
})

const signIn = createRoute({
  getParentRoute: () => card,
  path: '/sign-in',
  beforeLoad: requireStranger,
  component: lazyRouteComponent(() => import('../pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const signUp = createRoute({
  getParentRoute: () => card,
  path: '/sign-up',
  beforeLoad: requireStranger,
  component: lazyRouteComponent(() => import('../pages/sign-up/sign-up-page.tsx'), 'SignUpPage'),
})

const setup = createRoute({
  getParentRoute: () => card,
  path: '/setup',
  component: lazyRouteComponent(() => import('../pages/setup/setup-page.tsx'), 'SetupPage'),
})

const invitation = createRoute({
  getParentRoute: () => card,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../pages/invitation/invitation-page.tsx'), 'InvitationPage'),
})

const reset = createRoute({
  getParentRoute: () => card,
  path: '/reset',
  component: lazyRouteComponent(() => import('../pages/reset/reset-page.tsx'), 'ResetPage'),
})

const callback = createRoute({
  getParentRoute: () => card,
  path: '/auth/callback',
  loader: async ({ location: { searchStr, hash } }) => {
    const path = await finishOutsideSignIn(searchStr === '' ? hash : searchStr.slice(1))
    throw redirect({ href: returnPath(path), replace: true })
  },
  errorComponent: CallbackError,
})

/** Everything below is for people who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireViewer,
  component: function SignedIn() {
    const viewer = signedIn.useRouteContext({ select: (context) => context.viewer })
    return (
      <ViewerContext value={viewer}>
        <Outlet />
      </ViewerContext>
    )
  },
})

const signedInCard = createRoute({
  getParentRoute: () => signedIn,
  id: 'card',
  component: CardRoute,
})

const organizations = createRoute({
  getParentRoute: () => signedInCard,
  path: '/organizations',
  component: lazyRouteComponent(() => import('../pages/organizations/organizations-page.tsx'), 'OrganizationsPage'),
})

const device = createRoute({
  getParentRoute: () => signedInCard,
  path: '/device',
  beforeLoad: (visit) => {
    moveUserCode(visit)
    requireOrganization(visit)
  },
  component: lazyRouteComponent(() => import('../pages/device/device-page.tsx'), 'DevicePage'),
})

/** Pages of the organization that the address names. */
const organizationRoot = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$orgSlug',
  component: lazyRouteComponent(() => import('../layouts/organization-route.tsx'), 'OrganizationRoute'),
})

const home = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home/home-page.tsx'), 'HomePage'),
})

const projects = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/projects',
  component: lazyRouteComponent(() => import('../pages/projects/projects-page.tsx'), 'ProjectsPage'),
})

/** The project, and pages about its variables. */
const project = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/p/$projectSlug',
  component: lazyRouteComponent(() => import('../layouts/project-route.tsx'), 'ProjectRoute'),
})

const projectTable = createRoute({
  getParentRoute: () => project,
  path: '/',
  staticData: { isWide: true },
  // Not checked further, since nothing but a search box takes it.
  validateSearch: ({ search }: { readonly search?: string }) => (search === undefined ? {} : { search }),
  component: lazyRouteComponent(() => import('../pages/project/project-page.tsx'), 'ProjectPage'),
})

const history = createRoute({
  getParentRoute: () => project,
  path: '/history',
  validateSearch: stageSearch,
  component: lazyRouteComponent(() => import('../pages/history/history-page.tsx'), 'HistoryPage'),
})

const roll = createRoute({
  getParentRoute: () => project,
  path: '/roll',
  validateSearch: stageSearch,
  component: lazyRouteComponent(() => import('../pages/roll/roll-page.tsx'), 'RollPage'),
})

const usage = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/usage',
  component: lazyRouteComponent(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
})

const organization = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/organization',
  component: lazyRouteComponent(() => import('../layouts/organization-pages.tsx'), 'OrganizationPages'),
})

const organizationStart = createRoute({
  getParentRoute: () => organization,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/o/$orgSlug/organization/members', params, replace: true })
  },
})

const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(() => import('../pages/members/members-page.tsx'), 'MembersPage'),
})

const sessions = createRoute({
  getParentRoute: () => organization,
  path: '/sessions',
  component: lazyRouteComponent(() => import('../pages/sessions/sessions-page.tsx'), 'SessionsPage'),
})

const tokens = createRoute({
  getParentRoute: () => organization,
  path: '/tokens',
  component: lazyRouteComponent(() => import('../pages/tokens/tokens-page.tsx'), 'TokensPage'),
})

const audit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/audit/audit-page.tsx'), 'AuditPage'),
})

const evaluations = createRoute({
  getParentRoute: () => organization,
  path: '/evaluations',
  component: lazyRouteComponent(() => import('../pages/evaluations/evaluations-page.tsx'), 'EvaluationsPage'),
})

const organizationSettings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
})

const account = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/account',
  component: lazyRouteComponent(() => import('../pages/account/account-page.tsx'), 'AccountPage'),
})

/** The start page, and addresses from before they named the organization. */
const start = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: leadToOrganization })
const older = createRoute({ getParentRoute: () => root, path: '/$', beforeLoad: leadToOrganization })

export const routes = root.addChildren([
  start,
  older,
  card.addChildren([signIn, signUp, setup, invitation, reset, callback]),
  signedIn.addChildren([
    signedInCard.addChildren([organizations, device]),
    organizationRoot.addChildren([
      home,
      projects,
      project.addChildren([projectTable, history, roll]),
      usage,
      organization.addChildren([
        organizationStart,
        members,
        sessions,
        tokens,
        audit,
        evaluations,
        organizationSettings,
      ]),
      account,
    ]),
  ]),
])
