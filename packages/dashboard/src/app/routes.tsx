import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { returnPath } from '../session/return-path.ts'
import { compareSearch } from '../features/variables/compare/compared.ts'
import { preloadProject } from '../data/variables/queries.ts'
import { projectSearch } from '../features/variables/project-search.ts'
import { historySearch, stageSearch } from '../features/history/history-search.ts'
import { usageSearch } from '../data/usage/usage.ts'
import { proposalSearch, proposalsSearch } from '../features/proposals/search.ts'
import { rollsSearch } from '../features/rolls/rolls-search.ts'
import { lazy, Suspense } from 'react'
import { loaded } from '../lib/code.ts'
import { scopeIn, whoamiQuery } from '../session/scope.ts'
import { ViewerContext } from '../session/viewer.ts'
import { useIsConfirming } from '../session/confirmation.ts'
import { finishExternalSignIn, handOver } from '../session/external-sign-in.ts'
import { declaredSearch } from '../features/declared/declared-search.ts'
import { accessSearch, holdersSearch } from '../features/access/access-search.ts'
import { auditSearch } from '../data/audit/audit-search.ts'
import { credentialsSearch } from '../parts/credentials/credentials-search.ts'
import { SkipLink } from '../ui/page.tsx'
import { CardRoute } from './shell/card-layout.tsx'
import { FirstLoad } from './shell/first-load.tsx'
import { NotFoundInOrganization, NotFoundPage } from './error-pages.tsx'
import {
  leadToMoved,
  leadToOrganization,
  loadSettings,
  moveUserCode,
  requireOrganization,
  requireSetup,
  requireStranger,
  requireViewer,
  type RouterContext,
} from './guards.ts'
import { labels } from './labels.ts'

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: loadSettings,
  component: () => (
    <>
      <SkipLink />
      <Outlet />
    </>
  ),
  notFoundComponent: NotFoundPage,
  pendingComponent: FirstLoad,
})

/** Pages with a single task, with or without a sign-in. */
const card = createRoute({
  getParentRoute: () => root,
  id: 'card',
  component: CardRoute,
})

const signIn = createRoute({
  getParentRoute: () => card,
  path: '/sign-in',
  beforeLoad: requireSetup,
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const signUp = createRoute({
  getParentRoute: () => card,
  path: '/sign-up',
  beforeLoad: requireStranger,
  component: lazyRouteComponent(() => import('../features/sign-in/sign-up-page.tsx'), 'SignUpPage'),
})

const setup = createRoute({
  getParentRoute: () => card,
  path: '/setup',
  component: lazyRouteComponent(() => import('../features/sign-in/sign-up-page.tsx'), 'SetupPage'),
})

const invitation = createRoute({
  getParentRoute: () => card,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../features/sign-in/invitation-page.tsx'), 'InvitationPage'),
})

const reset = createRoute({
  getParentRoute: () => card,
  path: '/reset',
  component: lazyRouteComponent(() => import('../features/sign-in/reset-page.tsx'), 'ResetPage'),
})

const callback = createRoute({
  getParentRoute: () => card,
  path: '/auth/callback',
  loader: async ({ location: { searchStr, hash } }) => {
    const answer = searchStr === '' ? hash : searchStr.slice(1)
    if (await handOver(answer)) return
    const path = await finishExternalSignIn(answer)
    throw redirect({ href: returnPath(path), replace: true })
  },
  component: lazyRouteComponent(() => import('../features/sign-in/sign-in-page.tsx'), 'HandedOver'),
  errorComponent: lazyRouteComponent(() => import('../features/sign-in/sign-in-page.tsx'), 'CallbackError'),
})

const ConfirmIdentityDialog = lazy(async () => ({
  default: (await loaded(() => import('../features/account/confirm-identity-dialog.tsx'))).ConfirmIdentityDialog,
}))

/** Pages for people who are signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireViewer,
  pendingComponent: FirstLoad,
  component: function SignedIn() {
    const viewer = signedIn.useRouteContext({ select: (context) => context.viewer })
    return (
      <ViewerContext value={viewer}>
        <Outlet />
        {useIsConfirming() && (
          <Suspense>
            <ConfirmIdentityDialog />
          </Suspense>
        )}
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
  component: lazyRouteComponent(() => import('../features/organizations/organizations-page.tsx'), 'OrganizationsPage'),
})

const device = createRoute({
  getParentRoute: () => signedInCard,
  path: '/device',
  beforeLoad: (visit) => {
    moveUserCode(visit)
    requireOrganization(visit)
  },
  component: lazyRouteComponent(() => import('../features/device/device-page.tsx'), 'DevicePage'),
})

/** Pages of the organization that the address names. */
const organizationRoot = createRoute({
  getParentRoute: () => signedIn,
  path: '/o/$orgSlug',
  // The navigation needs it, and does not wait for it.
  loader: ({ context: { queryClient, viewer }, params: { orgSlug } }) => {
    const scope = scopeIn(viewer, orgSlug)
    if (scope) void queryClient.prefetchQuery(whoamiQuery(scope))
  },
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'OrganizationRoute'),
  pendingComponent: FirstLoad,
})

const overview = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/',
  staticData: { crumb: labels.pages.overview, docs: 'concepts' },
  component: lazyRouteComponent(() => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
})

const projects = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/projects',
  staticData: { crumb: labels.pages.projects, docs: 'concepts#project' },
  component: lazyRouteComponent(() => import('../features/projects/projects-page.tsx'), 'ProjectsPage'),
})

/** The project, and pages about its variables. */
const project = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/p/$projectSlug',
  component: lazyRouteComponent(() => import('./project-route.tsx'), 'ProjectRoute'),
})

const projectTable = createRoute({
  getParentRoute: () => project,
  path: '/',
  staticData: { docs: 'concepts#variable', hasGrid: true },
  validateSearch: projectSearch,
  // The page does not wait for it.
  loader: ({ context: { queryClient, viewer }, params: { orgSlug, projectSlug } }) => {
    const scope = scopeIn(viewer, orgSlug)
    if (scope) void preloadProject(queryClient, scope, projectSlug)
  },
  component: lazyRouteComponent(() => import('../features/variables/table/project-page.tsx'), 'ProjectPage'),
})

const history = createRoute({
  getParentRoute: () => project,
  path: '/history',
  staticData: { crumb: labels.pages.history, docs: 'concepts#history', isAboutStage: true },
  validateSearch: historySearch,
  component: lazyRouteComponent(() => import('../features/history/history-page.tsx'), 'HistoryPage'),
})

const roll = createRoute({
  getParentRoute: () => project,
  path: '/roll',
  staticData: { crumb: labels.pages.roll, docs: 'rolls', isAboutStage: true },
  validateSearch: stageSearch,
  component: lazyRouteComponent(() => import('../features/rolls/roll-page.tsx'), 'RollPage'),
})

const compare = createRoute({
  getParentRoute: () => project,
  path: '/compare',
  staticData: { crumb: labels.pages.compare, docs: 'concepts#comparing-stages' },
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import('../features/variables/compare/compare-page.tsx'), 'ComparePage'),
})

const declared = createRoute({
  getParentRoute: () => project,
  path: '/declared',
  staticData: { crumb: labels.pages.declared, docs: 'declarations' },
  validateSearch: declaredSearch,
  component: lazyRouteComponent(() => import('../features/declared/declared-page.tsx'), 'DeclaredPage'),
})

const access = createRoute({
  getParentRoute: () => project,
  path: '/access',
  staticData: { crumb: labels.pages.access, docs: 'access' },
  validateSearch: accessSearch,
  component: lazyRouteComponent(() => import('../features/access/access-page.tsx'), 'AccessPage'),
})

const holders = createRoute({
  getParentRoute: () => project,
  path: '/access/holders',
  staticData: { crumb: labels.pages.holders, docs: 'access#who-may-grant' },
  validateSearch: holdersSearch,
  component: lazyRouteComponent(() => import('../features/access/holders-page.tsx'), 'HoldersPage'),
})

const rolls = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/rolls',
  staticData: { crumb: labels.pages.rolls, docs: 'rolls' },
  validateSearch: rollsSearch,
  component: lazyRouteComponent(() => import('../features/rolls/rolls-page.tsx'), 'RollsPage'),
})

const proposals = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/changes',
  staticData: { crumb: labels.pages.changes, docs: 'change' },
})

const proposalList = createRoute({
  getParentRoute: () => proposals,
  path: '/',
  validateSearch: proposalsSearch,
  component: lazyRouteComponent(() => import('../features/proposals/proposals-page.tsx'), 'ProposalsPage'),
})

const proposal = createRoute({
  getParentRoute: () => proposals,
  path: '/$changeId',
  staticData: { crumb: labels.pages.change, docs: 'change' },
  validateSearch: proposalSearch,
  component: lazyRouteComponent(() => import('../features/proposals/proposal-page.tsx'), 'ProposalPage'),
})

const usage = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/usage',
  staticData: { crumb: labels.pages.usage, docs: 'concepts#usage' },
  component: lazyRouteComponent(() => import('./shell/section-tabs.tsx'), 'UsageTabs'),
})

const usageFigures = createRoute({
  getParentRoute: () => usage,
  path: '/',
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('../features/usage/usage-page.tsx'), 'UsagePage'),
})

const callers = createRoute({
  getParentRoute: () => usage,
  path: '/callers',
  staticData: { crumb: labels.pages.callers, docs: 'concepts#usage' },
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import('../features/usage/callers-page.tsx'), 'CallersPage'),
})

const audit = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/audit',
  staticData: { crumb: labels.pages.audit, docs: 'audit' },
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../features/audit/audit-page.tsx'), 'AuditPage'),
})

const members = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/members',
  staticData: { crumb: labels.pages.members, docs: 'identity' },
  component: lazyRouteComponent(() => import('./shell/section-tabs.tsx'), 'MembersTabs'),
})

const people = createRoute({
  getParentRoute: () => members,
  path: '/',
  component: lazyRouteComponent(() => import('../features/members/members-page.tsx'), 'MembersPage'),
})

const organizationAccess = createRoute({
  getParentRoute: () => members,
  path: '/access',
  staticData: { crumb: labels.pages.access, docs: 'access' },
  validateSearch: accessSearch,
  component: lazyRouteComponent(() => import('../features/access/access-page.tsx'), 'OrganizationAccessPage'),
})

const groups = createRoute({
  getParentRoute: () => members,
  path: '/groups',
  staticData: { crumb: labels.pages.groups, docs: 'access#who-may-grant' },
  component: lazyRouteComponent(() => import('../features/access/groups-page.tsx'), 'GroupsPage'),
})

const roles = createRoute({
  getParentRoute: () => members,
  path: '/roles',
  staticData: { crumb: labels.pages.roles, docs: 'access#roles' },
  component: lazyRouteComponent(() => import('../features/access/roles-page.tsx'), 'RolesPage'),
})

const settings = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/settings',
  staticData: { crumb: labels.pages.settings, docs: 'concepts#organization' },
  component: lazyRouteComponent(() => import('./shell/section-tabs.tsx'), 'SettingsTabs'),
})

const generalSettings = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
})

const tokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  staticData: { crumb: labels.pages.tokens, docs: 'concepts#credentials' },
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(() => import('../features/tokens/tokens-page.tsx'), 'TokensPage'),
})

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  staticData: { crumb: labels.pages.keys, docs: 'client-keys' },
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(() => import('../features/keys/keys-page.tsx'), 'KeysPage'),
})

const trusts = createRoute({
  getParentRoute: () => settings,
  path: '/trusts',
  staticData: { crumb: labels.pages.trusts, docs: 'trusts' },
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(() => import('../features/trusts/trusts-page.tsx'), 'TrustsPage'),
})

const webhooks = createRoute({
  getParentRoute: () => settings,
  path: '/webhooks',
  staticData: { crumb: labels.pages.webhooks, docs: 'notifications' },
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(() => import('../features/hooks/hooks-page.tsx'), 'HooksPage'),
})

const signInRules = createRoute({
  getParentRoute: () => settings,
  path: '/sign-in',
  staticData: { crumb: labels.pages.signIn, docs: 'sign-in/' },
  component: lazyRouteComponent(() => import('../features/sign-in-rules/sign-in-rules-page.tsx'), 'SignInRulesPage'),
})

const sessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  staticData: { crumb: labels.pages.sessions, docs: 'concepts#credentials' },
  component: lazyRouteComponent(() => import('../features/sessions/sessions-page.tsx'), 'SessionsPage'),
})

const confirmSession = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/confirm/$sessionId',
  staticData: { crumb: labels.pages.confirmSession, docs: 'access#protected-stages' },
  component: lazyRouteComponent(() => import('../features/access/session-confirm-page.tsx'), 'SessionConfirmPage'),
})

const account = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/account',
  staticData: { crumb: labels.pages.account, docs: 'identity' },
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
})

/** Former addresses of pages that were below others. */
const movedPages = createRoute({
  getParentRoute: () => root,
  path: '/o/$orgSlug/organization',
  beforeLoad: leadToMoved,
})
const movedPage = createRoute({
  getParentRoute: () => root,
  path: '/o/$orgSlug/organization/$',
  beforeLoad: leadToMoved,
})

/** The start page, and former addresses that do not name the organization. */
const start = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: leadToOrganization })
const older = createRoute({ getParentRoute: () => root, path: '/$', beforeLoad: leadToOrganization })

const notInOrganization = createRoute({
  getParentRoute: () => organizationRoot,
  path: '/$',
  component: NotFoundInOrganization,
})

export const routes = root.addChildren([
  start,
  older,
  movedPages,
  movedPage,
  card.addChildren([signIn, signUp, setup, invitation, reset, callback]),
  signedIn.addChildren([
    signedInCard.addChildren([organizations, device]),
    organizationRoot.addChildren([
      overview,
      projects,
      project.addChildren([projectTable, history, compare, declared, roll, access, holders]),
      proposals.addChildren([proposalList, proposal]),
      rolls,
      usage.addChildren([usageFigures, callers]),
      audit,
      members.addChildren([people, organizationAccess, groups, roles]),
      settings.addChildren([generalSettings, tokens, keys, trusts, webhooks, signInRules, sessions]),
      confirmSession,
      account,
      notInOrganization,
    ]),
  ]),
])
