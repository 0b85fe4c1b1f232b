import { changeStates, settledChangeStates } from '@rollkey/contract/rules'
import type { ListedChange } from '@rollkey/sdk'
import { personText } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import type { Cell } from '../frame/output.ts'
import { timeText } from '../frame/time.ts'

interface Options {
  readonly all?: true
}

const openStates = changeStates.filter((state) => !settledChangeStates.includes(state))
const shownNames = 3

export const changeList = command<Options>({
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
    const client = await context.service()
    const { changes, more } = await client.manage.changes.list({
      projectSlug: flags.project,
      stageSlug: flags.stage,
      ...(!all && { states: openStates }),
    })
    if (out.isJson) return out.json({ changes, more })
    const { idpUserId = '' } = await client.whoami()
    const rows = changes.map((change): Cell[] => [
      change.id,
      `${change.projectSlug}/${change.stageSlug}`,
      stateCell(change),
      namesText(change),
      personText(change.proposedBy, idpUserId),
      change.dueAtMs === undefined ? '-' : timeText(change.dueAtMs, change.zone ?? 'UTC'),
      change.reason,
    ])
    out.table(['id', 'stage', 'state', 'variables', 'by', 'due', 'reason'], rows)
    if (rows.length === 0) out.note('There are no open changes. Propose one with rollkey set NAME --propose.')
    if (more) out.note(`There are more than these ${changes.length}. Add --project and --stage.`)
  },
})

function namesText({ names, nameCount }: ListedChange): string {
  const rest = nameCount - shownNames
  return rest > 0 ? `${names.slice(0, shownNames).join(', ')} and ${rest} more` : names.join(', ')
}

function stateCell({ state, needsYou, approvals, conflictAt, steps, stepsDone = 0 }: ListedChange): Cell {
  if (state === 'open' && conflictAt !== undefined) return { text: 'out of date', style: 'red' }
  if (needsYou) return { text: 'needs you', style: 'magenta' }
  if (state === 'failed') return { text: state, style: 'red' }
  if (steps && state !== 'open') return { text: `${state} ${stepsDone}/${steps.length}`, style: 'cyan' }
  if (state !== 'open') return state
  if (approvals.rejectors.length > 0) return { text: 'rejected', style: 'red' }
  if (approvals.isApproved) return { text: 'ready', style: 'green' }
  return { text: `approved ${approvals.approvers.length}/${approvals.required}`, style: 'yellow' }
}
