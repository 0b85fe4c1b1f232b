/** A proposed change that a command is about, and how it is shown. */
import { kinds, valuesOf, type KindEntry } from '@rollkey/contract/rules'
import { nearest, type Change, type Client, type ListedChange } from '@rollkey/sdk'
import { exit, CliError } from './cli-error.ts'
import type { Context } from './context.ts'
import { nextText } from './proposal.ts'
import { percentText } from './chance.ts'
import { textOf, type Cell, type Output } from './output.ts'
import type { People } from './people.ts'
import { timeText } from './time.ts'
import { aspectText, countText, kindText, typeText } from './words.ts'

/** A change, and the client of its stage. */
export interface FoundChange {
  readonly client: Client
  readonly change: Change
  /** Such as `shop/prod`. */
  readonly where: string
  /** Whether it needs a review that the caller can give. */
  readonly needsYou: boolean
}

/** Returns the change with an id, whatever its stage. Throws NOT_FOUND. */
export async function findChange(context: Context, id: string): Promise<FoundChange> {
  const { projectSlug: project, stageSlug: stage, needsYou } = await placeOfChange(await context.service(), id)
  const client = await context.service({ project, stage })
  const { requestId: _, ...change } = await client.manage.changes.show({ id })
  return { client, change, where: `${project}/${stage}`, needsYou }
}

async function placeOfChange(client: Client, id: string) {
  const ids: string[] = []
  for (let before: string | undefined; ;) {
    const { changes, more } = await client.manage.changes.list({ before })
    const found = changes.find((each) => each.id === id)
    if (found) return found
    ids.push(...changes.map((each) => each.id))
    before = changes.at(-1)?.id
    if (!more || before === undefined) break
  }
  const [near] = nearest(id, ids)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw new CliError('NOT_FOUND', `There is no change ${JSON.stringify(id)} that you may see${hint}`, {
    status: exit.notFound,
    command: 'rollkey change list --all',
  })
}

type Item = Change['items'][number]
type State = NonNullable<Item['after']>

const actionTexts = {
  create: { text: 'new', style: 'green' },
  update: { text: 'changed', style: 'yellow' },
  delete: { text: 'deleted', style: 'red' },
  chance: { text: 'chance', style: 'yellow' },
} as const

/** Returns what a change is waiting for, as the list and its page say it. */
export function stateOf({ state, needsYou, approvals, conflictAt, steps, stepsDone = 0 }: ListedChange): Cell {
  if (state === 'open' && conflictAt !== undefined) return { text: 'out of date', style: 'red' }
  if (needsYou) return { text: 'needs you', style: 'magenta' }
  if (state === 'failed') return { text: state, style: 'red' }
  if (steps && state !== 'open') return { text: `${state} ${stepsDone}/${steps.length}`, style: 'cyan' }
  if (state !== 'open') return state
  if (approvals.rejectors.length > 0) return { text: 'changes requested', style: 'red' }
  if (approvals.isApproved) return { text: 'ready', style: 'green' }
  return { text: approvalsText(approvals), style: 'yellow' }
}

/** Returns how far the approvals are, such as "needs 1 approval" or "1 of 2 approvals". */
function approvalsText({ approvers, required }: ListedChange['approvals']): string {
  const needed = countText(required, 'approval')
  return approvers.length === 0 ? `needs ${needed}` : `${approvers.length} of ${needed}`
}

/** Returns the rows that show what a change does: name, action and details. */
export function itemRows({ items }: Change, out: Output): Cell[][] {
  return items.map((item) => [
    item.name,
    actionTexts[item.action],
    detailText(item, out),
    item.changedAt === undefined ? '' : { text: `changed since, in revision ${item.changedAt}`, style: 'red' },
  ])
}

export const itemHead = ['name', 'action', 'what', 'conflict']

function detailText({ action, before, after, chance }: Item, out: Output): string {
  if (action === 'chance') return transition(before?.chance, chance)
  if (!after) return ''
  if (!before) return whatText(after, out)
  const { digests, chance: next, ...attributes } = after
  const { digests: digestsBefore, chance: last, ...attributesBefore } = before
  return [
    ...differing(digestsBefore, digests).map((side) => (side === 'value' ? 'value' : `value ${side.toUpperCase()}`)),
    ...differing(attributesBefore, attributes).map((name) => aspectText(name, out)),
    ...(next === last ? [] : [transition(last, next)]),
  ].join(', ')
}

/** Returns what a new variable is, such as "plain value, boolean" or "A/B roll, boolean, chance 25%". */
function whatText({ kind, exposure = 'secret', declaredType, chance }: State, out: Output): string {
  const isPlain = kind === 'secret' && exposure !== 'secret'
  const what = isPlain ? `${exposure} value` : kindText({ kind, exposure }, out)
  const chanceText = chance === undefined ? undefined : `chance ${percentText(chance)}`
  const type = declaredType === undefined ? undefined : typeText(declaredType, out)
  return [what, type, chanceText].filter((part) => part !== undefined).join(', ')
}

function transition(before: number | undefined, after: number | undefined): string {
  const [from, to] = [before, after].map((chance) => (chance === undefined ? '?' : percentText(chance)))
  return `${from} → ${to}`
}

/** Returns the names of the fields that are not equal. */
function differing(before: object, after: object): string[] {
  const [one, other] = [before, after] as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]),
  )
}

type Named = KindEntry & { readonly name: string }

/** Shows a change, with the values that were revealed, by default those that are not secret. */
export function showChange(
  out: Output,
  found: FoundChange,
  { people, variables }: { readonly people: People; readonly variables: readonly Named[] | undefined },
): void {
  const { change, needsYou } = found
  showHead(out, found, people)
  out.table(itemHead, itemRows(change, out))
  for (const variable of variables ?? plainOf(change))
    for (const [at, text] of valuesOf(variable).entries())
      out.line(`${variable.name} ${kinds[variable.kind].values[at]?.label}: ${text}`)
  if (change.steps) showSteps(out, change)
  showReviews(out, change, people)
  out.note(nextText(change, needsYou))
}

/** Returns what a change would write that is not secret. */
function plainOf({ items }: Change): Named[] {
  return items.flatMap(({ name, after, plain }) =>
    after && plain ? [{ name, kind: after.kind, ...plain } as Named] : [],
  )
}

/** Writes what a change is about. */
function showHead(out: Output, { change, where, needsYou }: FoundChange, people: People): void {
  const { id, reason, bypass, proposedBy, proposedWith, proposedAtMs, zone = 'UTC', source } = change
  out.note(`${id} of ${where}: ${textOf(stateOf({ ...change, needsYou }))}`)
  out.note(`Reason: ${reason}`)
  out.note(`Proposed by ${people.textOf(proposedBy)} (${proposedWith}) on ${timeText(proposedAtMs, zone)} (${zone})`)
  if (bypass !== undefined) out.note(`Applied without the required approvals or in a freeze: ${bypass}`)
  if (source.copy) out.note(`Copied from ${source.copy.projectSlug}/${source.copy.stageSlug}`)
  if (source.restore !== undefined) out.note(`Restores revision ${source.restore}`)
}

function showSteps(out: Output, { steps: all = [], stepsDone = 0, zone = 'UTC' }: Change): void {
  const rows = all.map(({ atMs, chance }, index) => [
    timeText(atMs, zone),
    percentText(chance),
    index < stepsDone ? ({ text: 'done', style: 'green' } as const) : index === stepsDone ? 'next' : '',
  ])
  out.table([`time (${zone})`, 'chance', ''], rows)
}

function showReviews(out: Output, { reviews: all, zone = 'UTC' }: Change, people: People): void {
  const rows = all.map(({ reviewer, verdict, comment = '', reviewedAtMs, isCurrent, counts }) => [
    people.textOf(reviewer),
    { text: verdict === 'approve' ? 'approved' : 'rejected', style: verdict === 'approve' ? 'green' : 'red' } as const,
    counts ? 'counts' : isCurrent ? 'does not count' : 'before an edit',
    timeText(reviewedAtMs, zone),
    comment,
  ])
  if (rows.length > 0) out.table(['reviewer', 'verdict', '', 'at', 'comment'], rows)
}
