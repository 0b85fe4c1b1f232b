import { type KindEntry, kinds, valuesOf } from '@rollkey/contract/rules'
import { findChange, itemHead, itemRows, personText, type FoundChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import { nextText, type Change } from '../frame/proposal.ts'
import { percentText } from '../frame/chance.ts'
import { timeText } from '../frame/time.ts'

interface Options {
  readonly reveal?: true
}

/** Maximum number of names that one call reveals. */
const maxRevealed = 100

export const changeShow = command<Options>({
  name: 'change show',
  args: '<CHANGE>',
  summary: 'Show what a proposed change does, its reviews and its steps',
  completes: ['change', undefined],
  target: 'stage',
  options: [['--reveal', 'also the proposed values, which the audit log records']],
  examples: [
    ['change show chg_N3iXqTsLr2c1vB8eYzQa', 'names, kinds and what differs, without secret values'],
    ['change show chg_N3iXqTsLr2c1vB8eYzQa --json', 'with digests and the id of each reviewer'],
  ],
  async run(context, [id = ''], { reveal }) {
    const { out } = context
    const found = await findChange(context, id)
    const { requestId: _, ...change } = found.change
    const variables = reveal ? await revealed(context, found) : undefined
    if (out.isJson) return out.json({ ...change, ...(variables && { variables }) })
    const { idpUserId = '' } = await found.client.whoami()
    head(context, found, idpUserId)
    out.table(itemHead, itemRows(found.change))
    for (const { name, kind, texts } of variables?.map(textsOf) ?? plainTexts(found.change))
      for (const [at, { label }] of kinds[kind].values.entries()) out.line(`${name} ${label}: ${texts[at]}`)
    if (change.steps) steps(context, found.change)
    reviews(context, found.change, idpUserId)
    out.note(nextText(found.change))
  },
})

function textsOf(entry: KindEntry & { readonly name: string }) {
  return { name: entry.name, kind: entry.kind, texts: valuesOf(entry) }
}

/** Returns what a change would write that is not secret. */
function plainTexts({ items }: Change) {
  return items.flatMap(({ name, after, plain }) =>
    after && plain ? [textsOf({ name, kind: after.kind, ...plain } as KindEntry & { name: string })] : [],
  )
}

/** Reveals what a change would write. Deletions and chances have no values. */
async function revealed(context: Context, { client, change, where }: FoundChange) {
  const names = change.items
    .filter(({ action }) => action === 'create' || action === 'update')
    .map(({ name }) => name)
    .slice(0, maxRevealed)
  if (names.length === 0) return []
  const reason = `The stage ${where} is protected.`
  const { variables } = await withConfirmation(
    context,
    client,
    () => client.manage.changes.reveal(change.id, names),
    reason,
  )
  return variables
}

/** Writes what a change is about. */
function head({ out }: Context, { change, where }: FoundChange, self: string): void {
  const { id, state, reason, bypass, proposedBy, proposedWith, proposedAtMs, zone = 'UTC', source } = change
  out.note(`${id} of ${where}: ${state}`)
  out.note(`Reason: ${reason}`)
  out.note(`Proposed by ${personText(proposedBy, self)} (${proposedWith}) on ${timeText(proposedAtMs, zone)} (${zone})`)
  if (bypass !== undefined) out.note(`Applied without the required approvals or in a freeze: ${bypass}`)
  if (source.copy) out.note(`Copied from ${source.copy.projectSlug}/${source.copy.stageSlug}`)
  if (source.restore !== undefined) out.note(`Restores revision ${source.restore}`)
}

function steps({ out }: Context, { steps: all = [], stepsDone = 0, zone = 'UTC' }: Change): void {
  const rows = all.map(({ atMs, chance }, index) => [
    timeText(atMs, zone),
    percentText(chance),
    index < stepsDone ? ({ text: 'done', style: 'green' } as const) : index === stepsDone ? 'next' : '',
  ])
  out.table([`time (${zone})`, 'chance', ''], rows)
}

function reviews({ out }: Context, { reviews: all, zone = 'UTC' }: Change, self: string): void {
  const rows = all.map(({ reviewer, verdict, comment = '', reviewedAtMs, isCurrent, counts }) => [
    personText(reviewer, self),
    { text: verdict === 'approve' ? 'approved' : 'rejected', style: verdict === 'approve' ? 'green' : 'red' } as const,
    counts ? 'counts' : isCurrent ? 'does not count' : 'before an edit',
    timeText(reviewedAtMs, zone),
    comment,
  ])
  if (rows.length > 0) out.table(['reviewer', 'verdict', '', 'at', 'comment'], rows)
}
