import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'

export const changeWithdraw = command({
  name: 'change withdraw',
  args: '<CHANGE>',
  summary: 'Withdraw a proposed change, and delete its proposed values',
  completes: ['change', undefined],
  target: 'stage',
  examples: [['change withdraw chg_N3iXqTsLr2c1vB8eYzQa', 'it stays in the list, without values']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, where } = await findChange(context, id)
    await client.manage.changes.withdraw(id)
    if (out.isJson) out.json({ id, state: 'withdrawn' })
    else out.note(`Withdrew ${id} of ${where}.`)
  },
})
