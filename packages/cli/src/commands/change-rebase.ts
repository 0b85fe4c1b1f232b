import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { nextText } from '../frame/proposal.ts'

export const changeRebase = command({
  name: 'change rebase',
  args: '<CHANGE>',
  summary: 'Base a change that you proposed on the stage as it is now; this voids its approvals',
  target: 'stage',
  examples: [['change rebase chg_N3iXqTsLr2c1vB8eYzQa', 'after a REVISION_CONFLICT, if you still want it']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, change, where } = await findChange(context, id)
    const rebased = await client.manage.changes.edit(id, { digest: change.digest, rebase: true })
    if (out.isJson) return out.json({ id, state: rebased.state, baseRevision: rebased.baseRevision })
    out.note(`${id} is based on revision ${rebased.baseRevision} of ${where}. ${nextText(rebased)}`)
  },
})
