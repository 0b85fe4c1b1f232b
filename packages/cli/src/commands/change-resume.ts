import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { nextText } from '../frame/proposal.ts'

export const changeResume = command({
  name: 'change resume',
  args: '<CHANGE>',
  summary: 'Let a paused ramp go on; if it missed a step, the rest moves by whole days',
  completes: ['change', undefined],
  target: 'stage',
  examples: [['change resume chg_N3iXqTsLr2c1vB8eYzQa', 'with its next step']],
  async run(context, [id = '']) {
    const { out } = context
    const { client, where } = await findChange(context, id)
    const moved = await client.manage.changes.resume(id)
    if (out.isJson) out.json({ id, state: moved.state, steps: moved.steps, stepsDone: moved.stepsDone })
    else out.note(`Resumed ${id} of ${where}. ${nextText(moved)}`)
  },
})
