import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { nextText } from '../frame/proposal.ts'

export const changePause = command({
  name: 'change pause',
  args: '<CHANGE>',
  summary: 'Pause a ramp: the chance stays as it is',
  completes: ['change', undefined],
  target: 'stage',
  examples: [['change pause chg_N3iXqTsLr2c1vB8eYzQa', 'until rollkey change resume']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, where } = await findChange(context, id)
    const moved = await client.manage.changes.pause(id)
    if (out.isJson) out.json({ id, state: moved.state, steps: moved.steps, stepsDone: moved.stepsDone })
    else out.note(`Paused ${id} of ${where}. ${nextText(moved)}`)
  },
})
