import { hasDesktop, openBrowser } from '../frame/browser.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { expectNames } from '../frame/names.ts'

interface Options {
  readonly print?: true
}

/** Addresses of pages: of the organization below its own, of the project below its own, and of the service. */
const pages = {
  organization: {
    overview: '',
    projects: '/projects',
    rolls: '/rolls',
    changes: '/changes',
    usage: '/usage',
    callers: '/usage/callers',
    audit: '/audit',
    members: '/members',
    groups: '/members/groups',
    roles: '/members/roles',
    settings: '/settings',
    tokens: '/settings/tokens',
    keys: '/settings/keys',
    trusts: '/settings/trusts',
    webhooks: '/settings/webhooks',
    sessions: '/settings/sessions',
    'sign-in': '/settings/sign-in',
  },
  project: { access: '/access', compare: '/compare', declared: '/declared', history: '/history' },
  service: { account: '/account', docs: '/docs/' },
} as const satisfies Record<string, Readonly<Record<string, string>>>

/** The name of every page. */
export const pageNames = Object.values(pages).flatMap((group) => Object.keys(group))

function addressIn(group: Readonly<Record<string, string>>, what: string): string | undefined {
  return Object.hasOwn(group, what) ? group[what] : undefined
}

/**
 * Returns the address below the organization of a page, of a change, or of a variable at the stage of the settings; by default that of the
 * project.
 */
async function pathOf(context: Context, what: string | undefined): Promise<string> {
  const { project, stage } = context.settings
  const projectPath = project ? `/p/${encodeURIComponent(project.value)}` : ''
  if (what === undefined) return projectPath
  const ofOrganization = addressIn(pages.organization, what)
  if (ofOrganization !== undefined) return ofOrganization
  const client = await context.stage()
  const ofProject = addressIn(pages.project, what)
  if (ofProject !== undefined) return projectPath + ofProject
  const place = { project: project?.value ?? '', stage: stage?.value ?? '' }
  if (what.startsWith('chg_')) return `/changes/${encodeURIComponent(what)}?${new URLSearchParams(place).toString()}`
  const { variables } = await client.list()
  expectNames([what], [...variables, ...pageNames.map((name) => ({ name }))])
  return `${projectPath}?variable=${encodeURIComponent(what)}&stage=${encodeURIComponent(stage?.value ?? '')}`
}

/** Returns the address of a page. Those of the service need no login. */
async function urlOf(context: Context, what: string | undefined): Promise<string> {
  const { settings } = context
  const ofService = what === undefined ? undefined : addressIn(pages.service, what)
  if (ofService !== undefined) return new URL(ofService, settings.url.value).href
  const path = await pathOf(context, what)
  const { orgSlug } = await (await context.service()).whoami()
  return new URL(`/o/${orgSlug}${path}`, settings.url.value).href
}

export const open = command<Options>({
  name: 'open',
  args: '[WHAT]',
  summary: 'Open the page of the project, or of a variable, a change or another subject, in the browser',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--print', 'print the address instead of opening it']],
  examples: [
    ['open', 'the project of rollkey.json'],
    ['open API_KEY --stage prod', 'a variable'],
    ['open chg_N3iXqTsLr2c1vB8eYzQa', 'a proposed change'],
    ['open docs', 'the documentation of this version'],
    ['open audit', `or another page: ${pageNames.filter((page) => !['audit', 'docs'].includes(page)).join(', ')}`],
  ],
  async run(context, [what], { print }) {
    const { out } = context
    const url = await urlOf(context, what)
    if (out.isJson) return out.json({ url })
    if (print || !out.isTerminal || !hasDesktop(context)) return out.line(url)
    await openBrowser(url)
    out.note(`Opened ${url}`)
  },
})
