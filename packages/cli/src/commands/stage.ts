import { guardedVerbs, limits, type Place, type Verb } from '@rollkey/contract/rules'
import { type Client, type LostAccess, type Principal, type Project } from '@rollkey/sdk'
import { shortageOf } from '../frame/approvers.ts'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { accessPage, orOnPage } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import type { Output } from '../frame/output.ts'
import { ifAllowed } from '../frame/people.ts'
import { placeText, principalText } from '../frame/principal.ts'
import { connectTo } from '../frame/scope.ts'
import { parseStage } from '../frame/stage-argument.ts'
import { countText } from '../frame/words.ts'

const stageList = command({
  name: 'stage list',
  summary: 'List the stages of a project, in their order',
  target: 'project',
  examples: [
    ['stage list', 'of the project of rollkey.json'],
    ['stage list --project shop --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { project, stages } = await stagesOf(context)
    if (out.isJson) return out.json({ project, stages })
    const rows = stages.map((stage) => [
      stage.stageSlug,
      stage.name,
      String(stage.variables),
      String(stage.revision),
      marksOf(stage).join(', ') || '-',
    ])
    out.table(['stage', 'name', 'variables', 'revision', 'marks'], rows)
    if (rows.length === 0) out.note(`${project} has no stages. Create one with rollkey stage create.`)
  },
})

/** Returns the stages of the project of the settings, and the client of that project. Throws USAGE or STAGE_NOT_FOUND. */
async function stagesOf(context: Context) {
  const project = context.settings.project?.value
  if (project === undefined)
    throw usage('No project is set (expected --project, ROLLKEY_PROJECT or rollkey.json)', 'rollkey project list')
  const client = (await connectTo(context, { projectSlug: project })).at({ project })
  const { projects } = await client.projects()
  const stages = projects.find(({ projectSlug }) => projectSlug === project)?.stages ?? []
  return { client, project, stages }
}

function marksOf({ isProduction, isProtected, archivedAtMs }: Project['stages'][number]): string[] {
  const marks = { production: isProduction, protected: isProtected, archived: archivedAtMs !== undefined }
  return Object.entries(marks).flatMap(([mark, has]) => (has ? [mark] : []))
}

interface CreateOptions {
  readonly name?: string
  readonly production?: boolean
}

const stageCreate = command<CreateOptions>({
  name: 'stage create',
  args: '<SLUG>',
  summary: 'Create a stage without variables, as the last one of its project',
  target: 'project',
  options: [
    ['--name <text>', 'name for people (default: the slug)'],
    ['--production', 'mark it as production (default: if its slug is prod, production or live)'],
    ['--no-production', 'do not mark it'],
  ],
  examples: [
    ['stage create staging', 'in the project of rollkey.json'],
    ['stage create shop/eu --name Europe --production', 'in another one'],
  ],
  async run(context, [slug = ''], { name, production: isProduction }) {
    const { out } = context
    const { project, stage } = parseStage(context, slug)
    const client = await connectTo(context, { projectSlug: project })
    await client.at({ project, stage }).manage.stage.create({ name, isProduction })
    if (out.isJson) return out.json({ project, stage, name, isProduction })
    out.note(`Created ${project}/${stage}. Put it elsewhere in the order with rollkey stage order.`)
  },
})

const stageOrder = command({
  name: 'stage order',
  args: '<STAGE...>',
  summary: 'Set the order of the stages of a project, by which rollkey promote finds the next one',
  completes: ['stage'],
  target: 'project',
  examples: [['stage order dev staging prod', 'all stages, also the archived ones']],
  async run(context, stages) {
    const { out } = context
    const { client, project, stages: existing } = await stagesOf(context)
    const slugs = existing.map(({ stageSlug }) => stageSlug)
    if (stages.length !== slugs.length || new Set([...stages, ...slugs]).size !== slugs.length)
      throw usage(`Name each stage of ${project} once (expected ${slugs.join(' ')} in their new order)`)
    await client.manage.project.orderStages({ stageSlugs: stages })
    if (out.isJson) return out.json({ project, stages })
    out.note(`The order of the stages of ${project} is ${stages.join(', ')}.`)
  },
})

interface ProtectOptions {
  readonly keep?: string
  readonly approvals?: string
  readonly yes?: true
  readonly dryRun?: true
}

const stageProtect = command<ProtectOptions>({
  name: 'stage protect',
  args: '<STAGE>',
  summary: 'Protect a stage from access that was granted around it, after a list of who loses what',
  completes: ['stage', undefined],
  target: 'stage',
  options: [
    ['--keep <role>', 'role on the stage that you keep if you would lose access, or none (default: developer)'],
    ['--approvals <number>', `how many people must approve a change, 0 to ${limits.approvals} (default: unchanged)`],
    ['--dry-run', 'only list who would lose what'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['stage protect prod', 'lists who loses what, and asks; you keep the role developer'],
    ['stage protect prod --keep releaser', 'you keep a role that also approves'],
    ['stage protect prod --approvals 1', 'changes are proposed, and applied once someone else approved them'],
    ['stage protect shop/prod --dry-run --json', 'for a script; changes nothing'],
  ],
  async run(context, [name = ''], { keep: given, approvals: count, yes, dryRun }) {
    const { out, prompt } = context
    const approvals = count === undefined ? undefined : approvalsOf(count)
    const stage = parseStage(context, name)
    const place = { projectSlug: stage.project, stageSlug: stage.stage }
    const client = (await connectTo(context, place)).at(stage)
    const where = placeText(place)
    if (given !== undefined) await expectRole(client, given)
    const keep = given ?? 'developer'
    const { losing } = await client.manage.stage.protect({ isProtected: true, dryRun: true })
    const own = await ownLoss(client, place)
    const isLosing = own.lost.length > 0 && !own.hasGrant
    const kept = isLosing && keep !== 'none' ? keep : undefined
    const more = kept === undefined ? [] : [{ principal: own.principal, role: kept }]
    if (!out.isJson) showLosing(out, losing, { ...own, isListed: prompt.isFollowed({ yes, dryRun }) })
    if (kept !== undefined) out.note(`You keep the role ${kept}, by a grant on ${where} itself.`)
    else if (isLosing) out.note('You keep nothing. Only the web application can give you access again.')
    if (dryRun !== true) {
      if (!yes) await prompt.confirm(`Protect ${where}?`, '--yes')
      // On a protected stage, the grant would need a confirmation.
      for (const each of more) await client.manage.access.grant({ ...place, ...each })
      const page = accessPage(place, `Set the approvals of ${where}`)
      await orOnPage(context, client, page, () => client.manage.stage.protect({ isProtected: true, approvals }))
    }
    const shortage = await shortageOf(client, place, { approvals: approvals ?? 0, more })
    if (shortage !== undefined) out.warn(shortage)
    if (out.isJson) return out.json({ ...stage, isProtected: true, approvals, dryRun: dryRun === true, losing, kept })
    const needs =
      approvals === undefined ? '' : ` A change ${dryRun ? 'would need' : 'needs'} ${approvalsText(approvals)}.`
    out.note(
      dryRun
        ? `Nothing was changed. This is what protecting ${where} would take away.${needs}`
        : `${where} is protected: only grants on the stage itself give read, write and approve.${needs}`,
    )
  },
})

/** Returns the number of `--approvals`. Throws USAGE. */
function approvalsOf(text: string): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (count <= limits.approvals) return count
  throw usage(`--approvals must be a whole number from 0 to ${limits.approvals}`)
}

function approvalsText(count: number): string {
  return count === 0 ? 'no approval' : countText(count, 'approval')
}

/** Throws USAGE unless a role to keep exists, or is none. */
async function expectRole(client: Client, role: string): Promise<void> {
  if (role === 'none') return
  const { roles } = await ifAllowed(client.manage.roles.list(), { roles: undefined })
  if (!roles || roles.some(({ name }) => name === role)) return
  const names = [...roles.map(({ name }) => name), 'none']
  throw usage(`unknown role in --keep (expected ${names.join(', ')})`, 'rollkey role list')
}

interface OwnLoss {
  readonly principal: Principal
  readonly lost: readonly Verb[]
  /** Whether a grant on the stage itself gives them a role, which they keep. */
  readonly hasGrant: boolean
}

/** Returns what the caller loses if the stage is protected. */
async function ownLoss(client: Client, place: Required<Place>): Promise<OwnLoss> {
  const [{ idpUserId = '' }, { verbs, sources }] = await Promise.all([
    client.whoami(),
    client.manage.access.explain(place),
  ])
  const grants = sources.filter(({ stageSlug }) => stageSlug !== undefined)
  const isKept = (verb: Verb): boolean => grants.some((grant) => grant.verbs.includes(verb))
  const lost = guardedVerbs.filter((verb) => verbs.includes(verb) && !isKept(verb))
  return { principal: { kind: 'user', id: idpUserId }, lost, hasGrant: grants.length > 0 }
}

/** Shows who loses what. `isListed`: one by one. */
function showLosing(
  out: Output,
  losing: readonly LostAccess[],
  { isListed, ...own }: OwnLoss & { readonly isListed: boolean },
): void {
  const others = losing.filter(({ principal }) => principal?.id !== own.principal.id)
  const rows = others.map(({ principal, verbs }) => [
    principal ? principalText(principal) : 'every member, by the default role',
    verbs.join(', '),
  ])
  if (own.lost.length > 0) rows.unshift(['you', own.lost.join(', ')])
  if (rows.length === 0) out.note('No one loses anything.')
  else if (isListed) out.table(['who', 'loses'], rows)
}

interface UnprotectOptions {
  readonly yes?: true
}

const stageUnprotect = command<UnprotectOptions>({
  name: 'stage unprotect',
  args: '<STAGE>',
  summary: 'End the protection of a stage; a login of the command line leads to the page that does so',
  completes: ['stage', undefined],
  target: 'stage',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['stage unprotect shop/prod', 'what is granted around the stage applies there again']],
  async run(context, [name = ''], { yes }) {
    const { out, prompt } = context
    const stage = parseStage(context, name)
    const place = { projectSlug: stage.project, stageSlug: stage.stage }
    const client = (await connectTo(context, place)).at(stage)
    const where = placeText(place)
    const question = `End the protection of ${where}? What is granted on the project and the organization applies there again.`
    if (!yes) await prompt.confirm(question, '--yes')
    const page = accessPage(place, `End the protection of ${where}`)
    await orOnPage(context, client, page, () => client.manage.stage.protect({ isProtected: false }))
    if (out.isJson) return out.json({ ...stage, isProtected: false })
    out.note(`${where} is not protected anymore.`)
  },
})

export const stageCommands = [stageList, stageCreate, stageOrder, stageProtect, stageUnprotect]
