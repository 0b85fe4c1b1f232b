import { findChange } from '../frame/change.ts'
import { command } from '../frame/command.ts'
import { chanceOf, percentText } from '../frame/chance.ts'

interface Options {
  readonly chance?: string
}

export const changeAbort = command<Options>({
  name: 'change abort',
  args: '<CHANGE>',
  summary: 'End a ramp, and set the chance of its roll',
  completes: ['change', undefined],
  target: 'stage',
  options: [['--chance <chance>', 'probability of A from then on, such as 10% (default: 0%)']],
  examples: [
    ['change abort chg_N3iXqTsLr2c1vB8eYzQa', 'everyone gets B, except by pins and rules'],
    ['change abort chg_N3iXqTsLr2c1vB8eYzQa --chance 10%', 'back to one of ten users'],
  ],
  async run(context, [id = ''], { chance: argument = '0' }) {
    const { out } = context
    const chance = chanceOf(argument)
    const { client, where } = await findChange(context, id)
    const { revision } = await client.manage.changes.abort(id, chance)
    if (out.isJson) out.json({ id, state: 'aborted', chance, revision })
    else out.note(`Aborted ${id} of ${where}: the chance is ${percentText(chance)} (revision ${revision}).`)
  },
})
