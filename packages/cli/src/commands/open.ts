import { hasDesktop, openBrowser } from '../frame/browser.ts'
import { command } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { expectNames } from '../frame/names.ts'

interface Options {
  readonly print?: true
}

/** Pages of the organization, below its address. */
const pages = ['overview', 'projects', 'rolls', 'changes', 'usage', 'audit', 'members', 'settings'] as const

/** Returns the address of a page, of a change, or of a variable at the stage of the settings; by default that of the project. */
async function pathOf(context: Context, what: string | undefined): Promise<string> {
  const { project, stage } = context.settings
  const projectPath = project ? `/p/${encodeURIComponent(project.value)}` : ''
  if (what === undefined) return projectPath
  const page = pages.find((each) => each === what)
  if (page !== undefined) return page === 'overview' ? '' : `/${page}`
  const client = await context.stage()
  const place = { project: project?.value ?? '', stage: stage?.value ?? '' }
  if (what.startsWith('chg_')) return `/changes/${encodeURIComponent(what)}?${new URLSearchParams(place).toString()}`
  const { variables } = await client.list()
  expectNames([what], [...variables, ...pages.map((name) => ({ name }))])
  return `${projectPath}?variable=${encodeURIComponent(what)}&stage=${encodeURIComponent(stage?.value ?? '')}`
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
    [`open audit`, `or another page: ${pages.filter((page) => page !== 'audit').join(', ')}`],
  ],
  async run(context, [what], { print }) {
    const { out, settings } = context
    const path = await pathOf(context, what)
    const { orgSlug } = await (await context.service()).whoami()
    const url = new URL(`/o/${orgSlug}${path}`, settings.url.value).href
    if (out.isJson) return out.json({ url })
    if (print || !out.isTerminal || !hasDesktop(context)) return out.line(url)
    await openBrowser(url)
    out.note(`Opened ${url}`)
  },
})
