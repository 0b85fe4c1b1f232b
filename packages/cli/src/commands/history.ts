import { differingAspects, limits } from '@rollkey/contract/rules'
import type { HistoryChange } from '@rollkey/sdk'
import { percentText } from '../frame/chance.ts'
import { command } from '../frame/command.ts'
import { expectNames } from '../frame/names.ts'
import type { Cell, Output } from '../frame/output.ts'
import { pageOptions, readPages, wantedOf, type PageOptions } from '../frame/page.ts'
import { peopleOf, type People } from '../frame/people.ts'
import { shownTime, zoneOf, zoneOption } from '../frame/time.ts'
import { aspectText, lineText } from '../frame/words.ts'

interface Options extends PageOptions {
  readonly zone?: string
}

export const history = command<Options>({
  name: 'history',
  args: '[NAME]',
  summary: 'List what the revisions of a stage, or of one variable, changed, without values',
  completes: ['variable', undefined],
  target: 'stage',
  options: [...pageOptions(limits.historyChangesByDefault), zoneOption],
  examples: [
    ['history', 'the latest changes of the stage: when, by whom and what'],
    ['history API_KEY --stage prod', 'those of one variable'],
    ['history --all --json', 'all of them, for a script'],
    ['restore 41', 'goes back to a revision of the list'],
  ],
  async run(context, [name], options) {
    const { out } = context
    const wanted = wantedOf(options, limits.historyChangesByDefault)
    const zone = zoneOf(options.zone)
    const client = await context.stage()
    const { variables } = await client.list()
    const changes: HistoryChange[] = []
    const more = await readPages<HistoryChange>(
      wanted,
      limits.historyChanges,
      async (last, limit) => (await client.history({ name, before: last?.revision, limit })).changes,
      (page) => changes.push(...page),
    )
    if (name !== undefined && changes.length === 0) expectNames([name], variables)
    if (out.isJson) return out.json({ changes })
    const people = await peopleOf(client, out)
    const rows = changes.map((change): Cell[] => [
      String(change.revision),
      shownTime(out, change.writtenAtMs, zone),
      { text: change.change, style: styles[change.change] },
      change.name,
      detailText(change, out),
      authorText(change, people),
      proposerText(change, people),
      lineText(change.reason),
    ])
    const head = ['revision', `when (${zone})`, 'change', 'name', 'differs in', 'by', 'proposed by', 'reason']
    out.table(head, rows, { shortened: 'reason' })
    if (rows.length === 0) out.note('There is no history yet.')
    else if (more && (changes.at(-1)?.revision ?? 0) > 1)
      out.note('There may be older changes: --limit 200 or --all shows them.')
  },
})

const styles = { created: 'green', updated: 'yellow', deleted: 'red', restored: 'cyan' } as const

/** Returns who made a change and with what. The client of a machine is its name. */
function authorText({ writtenBy, client }: HistoryChange, people: People): string {
  if (isMachine(writtenBy) && client !== undefined) return client
  const person = people.textOf(writtenBy)
  return client === undefined ? person : `${person}, ${client}`
}

/** Returns who proposed what someone else applied. */
function proposerText({ proposedBy, proposedWith, writtenBy }: HistoryChange, people: People): string {
  if (proposedBy === undefined || proposedBy === writtenBy) return '-'
  return isMachine(proposedBy) && proposedWith !== undefined ? proposedWith : people.textOf(proposedBy)
}

function isMachine(id: string): boolean {
  return /^(tok|tru)_/.test(id)
}

/** Returns what differs from before, such as `value, chance 10% → 25%`. A secret that is set again may have the same value. */
function detailText({ before, kind, digests, ...after }: HistoryChange, out: Output): string {
  if (!before || !kind || !digests) return '-'
  const differing = differingAspects(before, { ...after, kind, digests })
    .map((aspect) =>
      aspect === 'chance' && before.chance !== undefined && after.chance !== undefined
        ? `chance ${percentText(before.chance)} → ${percentText(after.chance)}`
        : aspectText(aspect, out),
    )
    .join(', ')
  return differing === '' ? (out.isTerminal ? 'nothing' : '-') : differing
}
