/** A proposed change that a command is about. */
import type { Client } from '@rollkey/sdk'
import { exit, CliError } from './cli-error.ts'
import type { Context } from './context.ts'
import type { Change } from './proposal.ts'
import { percentText } from './chance.ts'
import type { Cell } from './output.ts'

/** A change, and the client of its stage. */
export interface FoundChange {
  readonly client: Client
  readonly change: Change
  /** Such as `shop/prod`. */
  readonly where: string
}

/** Returns the change with an id, whatever its stage. Throws NOT_FOUND. */
export async function findChange(context: Context, id: string): Promise<FoundChange> {
  const { projectSlug: project, stageSlug: stage } = await placeOfChange(await context.service(), id)
  const client = await context.service({ project, stage })
  return { client, change: await client.manage.changes.show(id), where: `${project}/${stage}` }
}

async function placeOfChange(client: Client, id: string) {
  for (let before: string | undefined; ;) {
    const { changes, more } = await client.manage.changes.list({ before })
    const found = changes.find((each) => each.id === id)
    if (found) return found
    before = changes.at(-1)?.id
    if (!more || before === undefined) break
  }
  throw new CliError('NOT_FOUND', `There is no change ${JSON.stringify(id)} that you may see`, {
    status: exit.notFound,
    command: 'rollkey change list --all',
  })
}

type Item = Change['items'][number]

const actionTexts = {
  create: { text: 'new', style: 'green' },
  update: { text: 'changed', style: 'yellow' },
  delete: { text: 'deleted', style: 'red' },
  chance: { text: 'chance', style: 'yellow' },
} as const

/** Returns the rows that show what a change does: name, action and details. */
export function itemRows({ items }: Change): Cell[][] {
  return items.map((item) => [
    item.name,
    actionTexts[item.action],
    detailText(item),
    item.changedAt === undefined ? '' : { text: `changed since, in revision ${item.changedAt}`, style: 'red' },
  ])
}

export const itemHead = ['name', 'action', 'what', 'conflict']

function detailText({ action, before, after, chance }: Item): string {
  if (action === 'chance') return transition(before?.chance, chance)
  if (!after) return ''
  const rollText = after.chance === undefined ? after.kind : `${after.kind}, chance ${percentText(after.chance)}`
  if (!before) return rollText
  const { digests, chance: next, ...attributes } = after
  const { digests: digestsBefore, chance: last, ...attributesBefore } = before
  return [
    ...differing(digestsBefore, digests).map((side) => (side === 'value' ? 'value' : `value ${side.toUpperCase()}`)),
    ...differing(attributesBefore, attributes),
    ...(next === last ? [] : [transition(last, next)]),
  ].join(', ')
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

/** Returns who proposed or reviewed a change. */
export function personText(id: string, self: string): string {
  return id === self ? 'you' : `user:${id}`
}
