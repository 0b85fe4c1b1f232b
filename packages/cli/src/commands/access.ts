import { type Place, type Verb, verbs } from '@rollkey/contract/rules'
import type { AccessSource, Client } from '@rollkey/sdk'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { accessPage, orOnPage } from '../frame/confirmation.ts'
import type { Cell, Output } from '../frame/output.ts'
import { ifAllowed } from '../frame/people.ts'
import { parsePrincipal, placeText, principalText } from '../frame/principal.ts'
import { connectTo, placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'
import { shownTime } from '../frame/time.ts'
import { removal } from '../frame/removal.ts'

const accessList = command<ScopeOptions>({
  name: 'access list',
  args: '[STAGE]',
  completes: ['stage', undefined],
  summary: 'List who was granted which role on a stage and around it',
  target: 'stage',
  options: [scopeOption],
  examples: [
    ['access list prod', 'grants on the stage, on its project and on the organization'],
    ['access list --scope organization --json', 'all grants, for a script'],
  ],
  async run(context, [stage], options) {
    const { out } = context
    const place = placeOf(context, stage, options)
    const client = await connectTo(context, place)
    const { requestId: _, ...access } = await client.manage.access.list(place)
    if (out.isJson) return out.json(access)
    const { grants, defaultRole, protectedStages } = access
    const rows = grants.map(({ principal, role, expiresAtMs, ...at }) => [
      principalText(principal),
      role,
      placeText(at),
      expiresAtMs === undefined ? 'never' : shownTime(out, expiresAtMs),
    ])
    out.table(['who', 'role', 'scope', 'ends'], rows)
    out.note(
      defaultRole === 'none'
        ? 'Members have no role by default.'
        : `Members have the role ${defaultRole} on everything that is not protected.`,
    )
    if (protectedStages.length > 0) out.note(`Protected: ${protectedStages.map(placeText).join(', ')}.`)
  },
})

interface GrantOptions extends ScopeOptions {
  readonly days?: string
}

const dayMs = 86_400_000

const accessGrant = command<GrantOptions>({
  name: 'access grant',
  args: '<WHO> <ROLE> [STAGE]',
  completes: [undefined, undefined, 'stage', undefined],
  summary: 'Grant a role to a person, a group or a service token, instead of the one that they have there',
  target: 'stage',
  options: [scopeOption, ['--days <days>', 'days until the grant ends (default: never)']],
  examples: [
    ['access grant ada@example.com developer prod', 'also before she has accepted the invitation'],
    ['access grant "group:On call" maintainer --scope project', 'on all stages of the project'],
    ['access grant token:ci reader prod --days 7', 'ends by itself'],
  ],
  async run(context, [who = '', role = '', stage], { days, ...options }) {
    const { out } = context
    const place = placeOf(context, stage, options)
    if (days !== undefined && !(Number.isInteger(Number(days)) && Number(days) > 0))
      throw usage('--days must be a whole number greater than 0')
    const client = await connectTo(context, place)
    const principal = await parsePrincipal(client, who)
    const expiresAtMs = days === undefined ? undefined : Date.now() + Number(days) * dayMs
    const page = accessPage(place, `Grant the role ${role} on ${placeText(place)}`)
    await orOnPage(context, client, page, () => client.manage.access.grant({ ...place, principal, role, expiresAtMs }))
    if (out.isJson) return out.json({ principal, role, ...place, expiresAtMs })
    const until = expiresAtMs === undefined ? '' : ` until ${shownTime(out, expiresAtMs)}`
    out.note(`${who} has the role ${role} on ${placeText(place)}${until}.`)
    if (principal.kind === 'email' && !(await mayBeMember(client, principal.id)))
      out.note(`${principal.id} is not a member yet: the role counts once they join. Invite them: rollkey open members`)
  },
})

const accessRevoke = removal<ScopeOptions>({
  name: 'access revoke',
  args: '<WHO> [STAGE]',
  completes: [undefined, 'stage', undefined],
  summary: 'Revoke the role that was granted on a stage, on a project or on the organization itself',
  target: 'stage',
  options: [scopeOption],
  examples: [['access revoke ada@example.com prod --yes', 'rollkey access list shows the grants']],
  async find(context, [who = '', stage], options) {
    const place = placeOf(context, stage, options)
    const client = await connectTo(context, place)
    const principal = await parsePrincipal(client, who)
    const what = `the role of ${who} on ${placeText(place)}`
    return { what, key: { principal, ...place }, remove: () => client.manage.access.revoke({ ...place, principal }) }
  },
})

const accessExplain = command<ScopeOptions>({
  name: 'access explain',
  args: '[WHO] [STAGE]',
  completes: [undefined, 'stage', undefined],
  summary: 'Explain what someone may do on a stage, and which grant gives it',
  target: 'stage',
  options: [scopeOption],
  examples: [
    ['access explain ada@example.com prod', 'a row for each grant and role'],
    ['access explain', 'yourself on the stage of rollkey.json'],
    ['access explain token:ci --scope project --json', 'for a script'],
  ],
  async run(context, [who, stage], options) {
    const { out } = context
    const place = placeOf(context, stage, options)
    const client = await connectTo(context, place)
    const principal = who === undefined ? undefined : await parsePrincipal(client, who)
    const { requestId: _, ...explained } = await client.manage.access.explain({ ...place, principal })
    if (principal?.kind === 'email' && !(await mayBeMember(client, principal.id)))
      out.note(`${principal.id} is not a member yet: they would have this access as one.`)
    if (out.isJson) return out.json(explained)
    out.note(verdictOf(who ?? 'you', place, explained.verbs))
    const rows = explained.sources.map((source) => [sourceText(out, source), placeText(source), ...marks(source.verbs)])
    out.table(['from', 'scope', ...verbs], [...rows, ['in all', placeText(place), ...marks(explained.verbs)]])
    if (explained.isProtected)
      out.note(`${placeText(place)} is protected: only grants on the stage itself give read, write and approve.`)
  },
})

/** What each verb allows. */
const verbTexts: Readonly<Record<Verb, string>> = {
  list: 'list the names',
  read: 'read the values',
  write: 'change variables',
  approve: 'approve changes',
  manage: 'manage access',
}

const all = new Intl.ListFormat('en', { type: 'conjunction' })
const none = new Intl.ListFormat('en', { type: 'disjunction' })

/** Returns what someone may do and what not, such as "In shop/prod, you may list the names, but not read the values …". */
function verdictOf(who: string, { projectSlug, stageSlug }: Place, given: readonly Verb[]): string {
  const where =
    projectSlug === undefined
      ? 'the organization'
      : stageSlug === undefined
        ? `the project ${projectSlug}`
        : `${projectSlug}/${stageSlug}`
  const may = all.format(verbs.filter((verb) => given.includes(verb)).map((verb) => verbTexts[verb]))
  const mayNot = none.format(verbs.filter((verb) => !given.includes(verb)).map((verb) => verbTexts[verb]))
  if (may === '') return `In ${where}, ${who} may do nothing.`
  return `In ${where}, ${who} may ${may}${mayNot === '' ? '' : `, but not ${mayNot}`}.`
}

/** Returns false if no member has the email, unless an identity provider keeps the members. */
async function mayBeMember(client: Client, email: string): Promise<boolean> {
  const { members, isExternal } = await ifAllowed(client.manage.organization.members(), {
    members: [],
    isExternal: true,
  })
  return isExternal || members.some((member) => member.email.toLowerCase() === email.toLowerCase())
}

function marks(given: readonly string[]): Cell[] {
  return verbs.map((verb) => (given.includes(verb) ? { text: 'yes', style: 'green' } : '-'))
}

function sourceText(out: Output, { from, principal, role, expiresAtMs }: AccessSource): string {
  const until = expiresAtMs === undefined ? '' : ` until ${shownTime(out, expiresAtMs)}`
  if (from === 'default') return `default role ${role}`
  if (from === 'token') return `role ${role} of the service token`
  if (!principal) return `${from} of the organization`
  return `grant of ${role} to ${principalText(principal)}${until}`
}

/** Returns the names of the groups by their ids, or of none if the caller may not see them. */
async function groupNames(client: Client): Promise<ReadonlyMap<string, string>> {
  const { groups } = await ifAllowed(client.manage.groups.list(), { groups: [] })
  return new Map(groups.map(({ id, name }) => [id, name]))
}

interface HoldersOptions {
  readonly verb?: Verb
  readonly at?: string
}

const accessHolders = command<HoldersOptions>({
  name: 'access holders',
  args: '[STAGE]',
  completes: ['stage', undefined],
  summary: 'Show who can read a stage, or could at an earlier time',
  target: 'stage',
  options: [
    ['--verb <verb>', 'list, read, write, approve or manage (default: read)', verbs],
    ['--at <time>', 'an earlier time, such as 2027-01-31 or 2027-01-31T18:00Z (default: now)'],
  ],
  examples: [
    ['access holders prod', 'who can read the values of the stage'],
    ['access holders prod --at 2027-01-31 --json', 'who could at the beginning of that day (UTC)'],
  ],
  async run(context, [name], { verb = 'read', at }) {
    const { out } = context
    const atMs = at === undefined ? undefined : Date.parse(at)
    if (Number.isNaN(atMs)) throw usage(`--at ${JSON.stringify(at)} is not a time (expected one such as 2027-01-31)`)
    const place = placeOf(context, name, {})
    const { projectSlug: project = '', stageSlug: stage = '' } = place
    const client = (await connectTo(context, place)).at({ project, stage })
    const { requestId: _, ...answer } = await client.manage.access.holders({
      verb,
      ...(atMs !== undefined && { atMs }),
    })
    if (out.isJson) return out.json(answer)
    const groups = answer.holders.some(({ via }) => via !== undefined)
      ? await groupNames(client)
      : new Map<string, string>()
    const rows = answer.holders.map(({ principal, via, role, ...granted }) => [
      principalText(principal),
      role,
      placeText(granted),
      via === undefined ? '' : `group:${groups.get(via) ?? via}`,
    ])
    out.table(
      ['who', 'role', 'scope', 'by'],
      answer.members ? [['every member', '', '*', 'default role'], ...rows] : rows,
    )
    if (!answer.members && rows.length === 0) out.note(`No one has ${verb} there.`)
    out.note(`As of ${shownTime(out, answer.atMs)}${answer.isProtected ? '; the stage is protected' : ''}.`)
  },
})

export const accessCommands = [accessList, accessGrant, accessRevoke, accessExplain, accessHolders]
