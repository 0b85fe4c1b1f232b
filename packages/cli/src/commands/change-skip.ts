import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { nextText } from '../frame/proposal.ts'

export const changeSkip = command({
  name: 'change skip',
  args: '<CHANGE>',
  summary: 'Leave out the next step of a ramp',
  completes: ['change', undefined],
  target: 'stage',
  examples: [['change skip chg_N3iXqTsLr2c1vB8eYzQa', 'the further steps keep their times']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, change, where } = await findChange(context, id)
    const moved = await client.manage.changes.skip(id, { stepsDone: change.stepsDone })
    if (out.isJson) out.json({ id, state: moved.state, steps: moved.steps, stepsDone: moved.stepsDone })
    else out.note(`Skipped the next step of ${id} of ${where}. ${nextText(moved)}`)
  },
})
