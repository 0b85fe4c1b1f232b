import { limits } from '@rollkey/contract/rules'
import type { AuditEntry, AuditFacts, AuditState, Client, NamedPrincipal } from '@rollkey/sdk'
import { listText } from '../diff/transfer.ts'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Cell, Output } from '../frame/output.ts'
import { pageOptions, readPages, wantedOf, type PageOptions } from '../frame/page.ts'
import { peopleOf, type People } from '../frame/people.ts'
import { parsePrincipal, placeText, principalText } from '../frame/principal.ts'
import { pastTimeOf, shownTime, zoneOf, zoneOption } from '../frame/time.ts'

type Filter = NonNullable<Parameters<Client['manage']['audit']>[0]>

interface Options extends PageOptions {
  readonly since?: string
  readonly until?: string
  readonly by?: string
  readonly action?: string
  readonly project?: string
  readonly stage?: string
  readonly name?: string
  readonly zone?: string
}

export const audit = command<Options>({
  name: 'audit',
  summary: 'List who did what in the organization, newest first, for owners and admins',
  target: 'organization',
  options: [
    ['--since <time>', 'only from then on, such as 7d, 2027-01-31 or "2027-01-31 09:00"'],
    ['--until <time>', 'only before then; a day is included'],
    ['--by <who>', 'only by an email, user:ID, token:NAME or operator'],
    ['--action <action>', 'only this action, such as reveal or access.grant'],
    ['--project <slug>', 'only in this project (default: all)', 'project'],
    ['--stage <slug>', 'only in stages of this name (default: all)'],
    ['--name <name>', 'only what names this variable'],
    ...pageOptions(limits.auditEntriesByDefault),
    zoneOption,
  ],
  examples: [
    ['audit', 'the latest entries'],
    ['audit --action reveal --since 7d --project shop --stage prod', 'who looked at values of a stage this week'],
    ['audit --by token:ci --since 2027-01-01 --until 2027-01-31', 'what a service token did in January'],
    ['audit --all --json > audit.jsonl', 'everything, one JSON object a line'],
  ],
  async run(context, _, options) {
    const { out } = context
    const wanted = wantedOf(options, limits.auditEntriesByDefault)
    const zone = zoneOf(options.zone)
    const times = timesOf(options, zone)
    const client = await context.service()
    const people = await peopleOf(client, out)
    const filter: Filter = {
      ...times,
      projectSlug: options.project,
      stageSlug: options.stage,
      name: options.name,
      // The service knows the actions, and refuses others.
      action: options.action as Filter['action'],
      actor: options.by === undefined ? undefined : await actorOf(client, people, options.by),
    }
    const entries: AuditEntry[] = []
    const more = await readPages<AuditEntry>(
      wanted,
      limits.auditEntries,
      async (last, limit) => (await client.manage.audit({ ...filter, before: last?.seq, limit })).entries,
      (page) => {
        // The log may be longer than the memory is large.
        if (out.isJson) for (const entry of page) out.line(JSON.stringify(entry))
        else entries.push(...page)
      },
    )
    if (out.isJson) return
    show(out, entries, { people, zone })
    if (entries.length === 0) out.note('The audit log has no such entry.')
    else if (more) out.note('There may be older entries: --limit 500 or --all shows them.')
  },
})

function timesOf({ since, until }: Options, zone: string): Pick<Filter, 'fromMs' | 'toMs'> {
  const fromMs = since === undefined ? undefined : pastTimeOf(since, { what: '--since', edge: 'start', zone })
  const toMs = until === undefined ? undefined : pastTimeOf(until, { what: '--until', edge: 'end', zone })
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw usage(`--until ${JSON.stringify(until)} is not after --since ${JSON.stringify(since)}`)
  return { fromMs, toMs }
}

/** Returns the id of who did something. Throws USAGE, and NOT_FOUND for an unknown token. */
async function actorOf(client: Client, people: People, who: string): Promise<string> {
  if (who === 'operator') return who
  const { kind, id } = await parsePrincipal(client, who)
  if (kind === 'user' || kind === 'token') return id
  const known = kind === 'email' ? people.idOf(id) : undefined
  if (known !== undefined) return known
  throw usage(`No one is known as ${JSON.stringify(who)} (expected user:ID; rollkey audit --json shows ids)`)
}

interface Shown {
  readonly people: People
  readonly zone: string
}

function show(out: Output, entries: readonly AuditEntry[], { people, zone }: Shown): void {
  const rows = entries.map(
    ({ seq, atMs, action, actor, client, names = [], nameCount = 0, facts, subject, ...at }): Cell[] => [
      String(seq),
      shownTime(out, atMs, zone),
      actor === undefined ? '-' : people.textOf(actor),
      { text: action, style: styleOf(action) },
      at.projectSlug === undefined ? '-' : placeText(at),
      names.length > 0 ? listText(names) : nameCount > 0 ? String(nameCount) : '-',
      (facts && factsText(facts, people)) ?? subject ?? client ?? '-',
    ],
  )
  out.table(['seq', `when (${zone})`, 'by', 'action', 'where', 'variables', 'details'], rows)
}

/**
 * Returns facts as words, such as "tokenId=tok_1 name=ci" and, of what changed, "chance=0.5→0.2". Names are in place of ids.
 */
function factsText({ before, after, ...others }: AuditFacts, people: People): string {
  const valueText = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(valueText).join(',')
    if (typeof value === 'string') return people.nameOf(value) ?? value
    const { kind, id } = (value ?? {}) as Partial<NamedPrincipal>
    if (kind !== undefined && id !== undefined) return people.nameOf(id) ?? principalText({ kind, id })
    return JSON.stringify(value) ?? ''
  }
  const changed = Object.keys({ ...before, ...after }) as (keyof AuditState)[]
  return [
    ...Object.entries(others)
      .filter(([, value]) => !isEmptyList(value))
      .map(([name, value]) => `${name}=${valueText(value)}`),
    ...changed.map((name) => `${name}=${valueText(before?.[name])}→${valueText(after?.[name])}`),
  ].join(' ')
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Returns the color of an action: red for what ends something or was refused, yellow for what shows values or gives access. */
function styleOf(action: AuditEntry['action']): 'red' | 'yellow' | 'cyan' {
  if (/delete|revoke|remove|refusal|failed|fail$|abort|deny|reject/.test(action)) return 'red'
  return /^(reveal|export|access|role|token|key)/.test(action) ? 'yellow' : 'cyan'
}
