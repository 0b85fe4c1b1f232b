/** Changes that are proposed instead of written, to be reviewed and applied later (docs/change.md). */
import type { Change, Client } from '@rollkey/sdk'
import { usage } from './cli-error.ts'
import type { Context } from './context.ts'
import { timeOf, timeText, zoneOf, zoneOption } from './time.ts'

type Proposal = Parameters<Client['manage']['changes']['propose']>[0]
/** What a change does. */
export type Proposed = Omit<Proposal, 'reason' | 'applyAtMs' | 'zone'>

export interface ProposalOptions {
  readonly propose?: true
  readonly reason?: string
  readonly at?: string
  readonly zone?: string
}

export const proposalOptions = [
  ['--propose', 'propose the change instead of writing it'],
  ['--reason <text>', 'why, for those who review it; includes --propose'],
  ['--at <time>', 'when it is applied, such as 09:00, 2027-01-31 09:00 or 2d; includes --propose'],
  zoneOption,
] as const

/** Returns whether a change is proposed rather than written. */
export function isProposal({ propose, reason, at }: ProposalOptions): boolean {
  return propose === true || reason !== undefined || at !== undefined
}

/** Proposes a change of the stage of `client`, and says what happens next. */
export async function proposeChange(
  context: Context,
  client: Client,
  content: Proposed,
  options: Omit<ProposalOptions, 'propose'>,
): Promise<void> {
  const { at, zone } = options
  const named = at === undefined && zone === undefined ? undefined : zoneOf(zone)
  const applyAtMs = at === undefined ? undefined : timeOf(at, '--at', named ?? 'UTC')
  const reason = await reasonOf(context, options.reason)
  const change = await client.manage.changes.propose({ ...content, reason, applyAtMs, zone: named })
  sayProposed(context, change)
}

async function reasonOf({ prompt }: Context, reason: string | undefined): Promise<string> {
  const text = reason ?? (await prompt.text('Why is it changed?', '--reason is required without a terminal'))
  if (text.trim() !== '') return text.trim()
  throw usage('The reason is empty (expected why it is changed, for those who review it)', 'rollkey change --help')
}

/** Tells that a change was proposed, and what it waits for. */
export function sayProposed({ out }: Context, change: Change): void {
  const { id, projectSlug, stageSlug, state, digest, applyAtMs, steps } = change
  if (out.isJson) return out.json({ id, projectSlug, stageSlug, state, digest, applyAtMs, steps })
  out.note(`Proposed ${id} for ${projectSlug}/${stageSlug}. ${nextText(change)}`)
}

/** Returns what a change waits for, as a sentence that ends with the next command. `needsYou`: whether the reader can review it. */
export function nextText(change: Change, needsYou = false): string {
  const {
    id,
    state,
    approvals,
    conflictAt,
    dueAtMs,
    steps,
    zone = 'UTC',
    problem,
    frozenUntilMs,
    lacksApprovers,
  } = change
  if (state === 'failed') return `It could not be applied: ${problem ?? 'the reason is unknown'}`
  if (state === 'paused') {
    const what = `rollkey change resume ${id} lets it go on, and rollkey change abort ${id} ends it.`
    return problem === undefined ? `It is paused; ${what}` : `It is paused. ${problem} Here, ${what}`
  }
  if (state !== 'open' && state !== 'running') return `It is ${state}.${problem === undefined ? '' : ` ${problem}`}`
  if (conflictAt !== undefined)
    return `It is out of date since revision ${conflictAt}, so it cannot be applied: rollkey change rebase ${id}`
  const { required, approvers, rejectors, isApproved } = approvals
  if (rejectors.length > 0)
    return `A reviewer requested changes, which rollkey change show ${id} shows. Who proposed it answers with rollkey change edit ${id}, or takes it back with rollkey change withdraw ${id}`
  const missing = required - approvers.length
  const due = dueAtMs === undefined ? undefined : `${timeText(dueAtMs, zone)} (${zone})`
  if (!isApproved) {
    const count = missing === 1 ? 'an approval' : `${missing} approvals`
    const needs = `It needs ${count}${due === undefined ? '' : ` by ${due}`}`
    if (lacksApprovers)
      return `${needs}, but too few people can approve it: ask those who manage the stage to give more people a role that approves.`
    return needsYou
      ? `${needs}: rollkey change approve ${id}, or rollkey change reject ${id} --comment TEXT`
      : `${needs}, from someone else. Send them the page: rollkey open ${id} --print`
  }
  if (due !== undefined) return `${steps ? 'Its next step is' : 'It is applied'} at ${due}.`
  if (frozenUntilMs !== undefined)
    return `The stage is frozen until ${timeText(frozenUntilMs, zone)} (${zone}). Then run rollkey change apply ${id}`
  return `Apply it with rollkey change apply ${id}`
}
