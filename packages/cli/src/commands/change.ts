import { canMove, changeStates, settledChangeStates } from '@rollkey/contract/rules'
import type { Change, Client, ListedChange, WriteEntry } from '@rollkey/sdk'
import { chanceOf, percentText } from '../frame/chance.ts'
import { findChange, type FoundChange, itemHead, itemRows, showChange, stateOf } from '../frame/found-change.ts'
import { CliError, exit, usage } from '../frame/cli-error.ts'
import { command, type CommandSpec } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import type { Context } from '../frame/context.ts'
import type { Cell, Output } from '../frame/output.ts'
import { peopleOf } from '../frame/people.ts'
import { nextText } from '../frame/proposal.ts'
import { connectTo } from '../frame/scope.ts'
import { timeText } from '../frame/time.ts'
import { valueOf, valueOptions, type ValueOptions } from '../frame/value-input.ts'
import { lineText } from '../frame/words.ts'

/** What the commands about one change share. */
const ofChange = { args: '<CHANGE>', completes: ['change', undefined], target: 'stage' } as const

interface ListOptions {
  readonly all?: true
}

const openStates = changeStates.filter((state) => !settledChangeStates.includes(state))
const shownNames = 3

const changeList = command<ListOptions>({
  name: 'change list',
  summary: 'List the proposed changes of the organization, newest first',
  target: 'stage',
  options: [['--all', 'also those that were applied, withdrawn or aborted']],
  examples: [
    ['change list', 'what is open, and what needs your review'],
    ['change list --project shop --stage prod --all', 'of one stage'],
  ],
  async run(context, _, { all }) {
    const { out, flags } = context
    const client = await connectTo(context, { projectSlug: flags.project, stageSlug: flags.stage })
    const { changes, more } = await client.manage.changes.list({
      projectSlug: flags.project,
      stageSlug: flags.stage,
      ...(!all && { states: openStates }),
    })
    if (out.isJson) return out.json({ changes, more })
    const people = await peopleOf(client, out)
    const rows = changes.map((change): Cell[] => [
      change.id,
      `${change.projectSlug}/${change.stageSlug}`,
      stateOf(change),
      namesText(change),
      people.textOf(change.proposedBy),
      change.dueAtMs === undefined ? '-' : timeText(change.dueAtMs, change.zone ?? 'UTC'),
      lineText(change.reason),
    ])
    out.table(['id', 'stage', 'state', 'variables', 'by', 'due', 'reason'], rows, { shortened: 'reason' })
    if (rows.length === 0) out.note('There are no open changes. Propose one with rollkey set NAME --propose.')
    for (const { id, state, problem } of changes) if (problem !== undefined) out.note(`${id} is ${state}: ${problem}`)
    const waiting = changes.find(({ needsYou }) => needsYou)
    if (waiting) out.note(`Review what needs you: rollkey change show ${waiting.id}`)
    const ready = changes.find(isReady)
    if (ready) out.note(`Apply what is ready: rollkey change apply ${ready.id}`)
    if (more) out.note(`There are more than these ${changes.length}. Add --project and --stage.`)
  },
})

function namesText({ names, nameCount }: ListedChange): string {
  const rest = nameCount - shownNames
  return rest > 0 ? `${names.slice(0, shownNames).join(', ')} and ${rest} more` : names.join(', ')
}

/** Returns whether a change waits only until someone applies it. */
function isReady({ state, approvals, conflictAt, dueAtMs }: ListedChange): boolean {
  return state === 'open' && approvals.isApproved && conflictAt === undefined && dueAtMs === undefined
}

interface ShowOptions {
  readonly reveal?: true
}

/** Maximum number of names that one call reveals. */
const maxRevealed = 100

const changeShow = command<ShowOptions>({
  name: 'change show',
  ...ofChange,
  summary: 'Show what a proposed change does, its reviews and its steps',
  options: [['--reveal', 'also the proposed values, which the audit log records']],
  examples: [
    ['change show chg_N3iXqTsLr2c1vB8eYzQa', 'names, kinds and what differs, without secret values'],
    ['change show chg_N3iXqTsLr2c1vB8eYzQa --json', 'with digests and the id of each reviewer'],
  ],
  async run(context, [id = ''], { reveal }) {
    const { out } = context
    const found = await findChange(context, id)
    const variables = reveal ? await revealed(context, found) : undefined
    if (out.isJson) return out.json({ ...found.change, ...(variables && { variables }) })
    showChange(out, found, { people: await peopleOf(found.client, out), variables })
  },
})

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
    () => client.manage.changes.reveal({ id: change.id, names }),
    reason,
  )
  return variables
}

interface ReviewOptions {
  readonly comment?: string
  readonly yes?: true
}

/** Shows a change, asks, and reviews exactly what was shown. */
async function review(
  context: Context,
  id: string,
  verdict: 'approve' | 'reject',
  { comment, yes }: ReviewOptions,
): Promise<void> {
  const { out, prompt } = context
  const { client, change, where } = await findChange(context, id)
  await expectReviewable(client, out, change)
  if (!yes) {
    out.note(`Reason: ${change.reason}`)
    if (prompt.isPossible && !out.isJson) out.table(itemHead, itemRows(change, out))
    await prompt.confirm(`${verdict === 'approve' ? 'Approve' : 'Reject'} this change of ${where}?`, '--yes')
  }
  const reviewed = await client.manage.changes.review({ id, digest: change.digest, verdict, comment })
  if (out.isJson) return out.json({ id, verdict, approvals: reviewed.approvals })
  out.note(`${verdict === 'approve' ? 'Approved' : 'Rejected'} ${id} of ${where}. ${nextText(reviewed)}`)
}

/** Throws CHANGE_CONFLICT, before a person confirms, if the change takes no review any more. */
async function expectReviewable(client: Client, out: Output, { id, state, settledBy }: Change): Promise<void> {
  if (canMove(state, 'review')) return
  const by = settledBy === undefined ? '' : ` by ${(await peopleOf(client, out)).textOf(settledBy)}`
  const past = settledChangeStates.includes(state) ? `was ${state}${by}` : `is ${state}`
  throw new CliError('CHANGE_CONFLICT', `The change ${past}: only an open one is approved or rejected`, {
    status: exit.invalid,
    command: `rollkey change show ${id}`,
  })
}

const changeApprove = command<ReviewOptions>({
  name: 'change approve',
  ...ofChange,
  summary: 'Approve a proposed change, exactly as it is now',
  options: [
    ['--comment <text>', 'what others read beside it'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['change approve chg_N3iXqTsLr2c1vB8eYzQa', 'shows it and asks; an edit voids the approval'],
    ['change approve chg_N3iXqTsLr2c1vB8eYzQa --comment "Tested in staging" --yes', 'without a question'],
  ],
  run: (context, [id = ''], options) => review(context, id, 'approve', options),
})

const changeReject = command<ReviewOptions>({
  name: 'change reject',
  ...ofChange,
  summary: 'Ask for another version of a proposed change, which is not applied until it is edited or you approve it',
  options: [
    ['--comment <text>', 'what to change'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    [
      'change reject chg_N3iXqTsLr2c1vB8eYzQa --comment "The limit is too high"',
      'its proposer edits it with rollkey change edit, or withdraws it',
    ],
  ],
  async run(context, [id = ''], options) {
    if (options.comment === undefined || options.comment.trim() === '')
      throw usage('--comment is missing (expected what to change)')
    await review(context, id, 'reject', options)
  },
})

interface ApplyOptions {
  readonly bypass?: string
}

const changeApply = command<ApplyOptions>({
  name: 'change apply',
  ...ofChange,
  summary: 'Write a proposed change to its stage, all or nothing',
  options: [
    ['--bypass <reason>', 'without the approvals or in a freeze, for who may do that; the audit log shows the reason'],
  ],
  examples: [
    ['change apply chg_N3iXqTsLr2c1vB8eYzQa', 'fails if one of its variables has changed since it was proposed'],
  ],
  async run(context, [id = ''], { bypass }) {
    const { out } = context
    const { client, change, where } = await findChange(context, id)
    const { created, updated, deleted, revision } = await client.manage.changes.apply({
      id,
      digest: change.digest,
      bypass,
    })
    if (out.isJson) return out.json({ id, revision, created, updated, deleted })
    const names = [...created, ...updated, ...deleted]
    const { projectSlug, stageSlug } = change
    out.note(`Applied ${id} to ${where}: ${names.join(', ')} (revision ${revision}).`)
    out.note(`What it changed: rollkey history --project ${projectSlug} --stage ${stageSlug}`)
  },
})

interface EditOptions extends ValueOptions {
  readonly value?: string
  readonly leaveOut?: string[]
  readonly reason?: string
}

const changeEdit = command<EditOptions>({
  name: 'change edit',
  ...ofChange,
  summary: 'Edit a change that you proposed, in part; this voids its reviews',
  options: [
    ['--value <name>', 'another value of this secret, by stdin or a question'],
    ['--leave-out <names...>', 'variables that it leaves as they are'],
    ['--reason <text>', 'another reason'],
    ...valueOptions,
  ],
  examples: [
    ['change edit chg_N3iXqTsLr2c1vB8eYzQa --value LIMIT', 'asks for the value'],
    ['change edit chg_N3iXqTsLr2c1vB8eYzQa --leave-out DEBUG', 'the rest stays as it was proposed'],
  ],
  async run(context, [id = ''], { value: name, leaveOut = [], reason, ...options }) {
    const { out } = context
    if (name === undefined && leaveOut.length === 0 && reason === undefined)
      throw usage('State what to edit: --value NAME, --leave-out NAME or --reason TEXT')
    const { client, change, where } = await findChange(context, id)
    const entries = name === undefined ? undefined : [await entryOf(context, change, name, options)]
    const without = name === undefined ? leaveOut : [...leaveOut, name]
    const edited = await client.manage.changes.edit({
      id,
      digest: change.digest,
      reason,
      ...(without.length > 0 && { without, entries }),
    })
    if (out.isJson) return out.json({ id, state: edited.state, digest: edited.digest, names: edited.names })
    out.note(`Edited ${id} of ${where}. ${nextText(edited)}`)
  },
})

/** Returns a secret of a change with another value, and the attributes that are proposed for it. */
async function entryOf(context: Context, { items }: Change, name: string, options: ValueOptions): Promise<WriteEntry> {
  const after = items.find((item) => item.name === name)?.after
  if (after?.kind !== 'secret' || after.template)
    throw new CliError(
      'INVALID_REQUEST',
      `The change proposes no value of a secret ${JSON.stringify(name)}; leave it out, and propose it in another change`,
      { status: exit.invalid },
    )
  const { declaredType, exposure, description } = after
  const value = await valueOf(context, name, undefined, options)
  return { name, kind: 'secret', declaredType, exposure, description, value }
}

const changeRebase = command({
  name: 'change rebase',
  ...ofChange,
  summary: 'Base a change that you proposed on the stage as it is now; this voids its approvals',
  examples: [['change rebase chg_N3iXqTsLr2c1vB8eYzQa', 'after a REVISION_CONFLICT, if you still want it']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, change, where } = await findChange(context, id)
    const rebased = await client.manage.changes.edit({ id, digest: change.digest, rebase: true })
    if (out.isJson) return out.json({ id, state: rebased.state, baseRevision: rebased.baseRevision })
    out.note(`${id} is based on revision ${rebased.baseRevision} of ${where}. ${nextText(rebased)}`)
  },
})

const changeWithdraw = command({
  name: 'change withdraw',
  ...ofChange,
  summary: 'Withdraw a proposed change, and delete its proposed values',
  examples: [['change withdraw chg_N3iXqTsLr2c1vB8eYzQa', 'it stays in the list, without values']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, where } = await findChange(context, id)
    await client.manage.changes.withdraw({ id })
    if (out.isJson) out.json({ id, state: 'withdrawn' })
    else out.note(`Withdrew ${id} of ${where}.`)
  },
})

/** Declares a command that changes when a ramp takes its next step. `said`: what it did, for people. */
function rampMove({
  move,
  said,
  ...spec
}: Pick<CommandSpec, 'name' | 'summary' | 'examples'> & {
  readonly said: string
  readonly move: (changes: Client['manage']['changes'], change: Change) => Promise<Change>
}) {
  return command({
    ...spec,
    ...ofChange,
    async run(context, [id = '']) {
      const { out } = context
      const { client, change, where } = await findChange(context, id)
      const moved = await move(client.manage.changes, change)
      if (out.isJson) return out.json({ id, state: moved.state, steps: moved.steps, stepsDone: moved.stepsDone })
      out.note(`${said} ${id} of ${where}. ${nextText(moved)}`)
    },
  })
}

const changePause = rampMove({
  name: 'change pause',
  summary: 'Pause a ramp: the chance stays as it is',
  examples: [['change pause chg_N3iXqTsLr2c1vB8eYzQa', 'until rollkey change resume']],
  move: (changes, { id }) => changes.pause({ id }),
  said: 'Paused',
})

const changeResume = rampMove({
  name: 'change resume',
  summary: 'Let a paused ramp go on; if it missed a step, the rest moves by whole days',
  examples: [['change resume chg_N3iXqTsLr2c1vB8eYzQa', 'with its next step']],
  move: (changes, { id }) => changes.resume({ id }),
  said: 'Resumed',
})

const changeSkip = rampMove({
  name: 'change skip',
  summary: 'Leave out the next step of a ramp',
  examples: [['change skip chg_N3iXqTsLr2c1vB8eYzQa', 'the further steps keep their times']],
  move: (changes, { id, stepsDone }) => changes.skip({ id, stepsDone }),
  said: 'Skipped the next step of',
})

interface AbortOptions {
  readonly chance?: string
}

const changeAbort = command<AbortOptions>({
  name: 'change abort',
  ...ofChange,
  summary: 'End a ramp, and set the chance of its roll',
  options: [['--chance <chance>', 'probability of A from then on, such as 10% (default: 0%)']],
  examples: [
    ['change abort chg_N3iXqTsLr2c1vB8eYzQa', 'everyone gets B, except by pins and rules'],
    ['change abort chg_N3iXqTsLr2c1vB8eYzQa --chance 10%', 'back to one of ten users'],
  ],
  async run(context, [id = ''], { chance: argument = '0' }) {
    const { out } = context
    const chance = chanceOf(argument)
    const { client, where } = await findChange(context, id)
    const { revision } = await client.manage.changes.abort({ id, chance })
    if (out.isJson) out.json({ id, state: 'aborted', chance, revision })
    else out.note(`Aborted ${id} of ${where}: the chance is ${percentText(chance)} (revision ${revision}).`)
  },
})

export const changeCommands = [
  changeList,
  changeShow,
  changeApprove,
  changeReject,
  changeApply,
  changeEdit,
  changeRebase,
  changeWithdraw,
  changePause,
  changeResume,
  changeSkip,
  changeAbort,
]
