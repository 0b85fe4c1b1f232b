import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { onVariable } from '../frame/names.ts'
import { contextOption, rollOf, type RollOptions } from '../frame/roll-options.ts'

interface Options extends RollOptions {
  readonly reveal?: true
}

export const get = command<Options>({
  name: 'get',
  args: '<NAME>',
  summary: 'Print one value',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--seed <seed>', 'user of an A/B roll, such as a user id: the same seed and key get the same side'],
    ['--key <key>', 'experiment of an A/B roll'],
    contextOption,
    ['--reveal', 'show the value on a terminal'],
  ],
  examples: [
    ['get API_KEY --reveal', 'shows the value'],
    ['get API_KEY | pbcopy', 'passes it on; a pipe always gets the value'],
    ['get NEW_CHECKOUT --seed user-1 --key checkout --json', 'includes the side that the roll chose'],
  ],
  async run(context, [name = ''], { reveal, ...options }) {
    const { out } = context
    const stage = await context.stage()
    const roll = rollOf(options)
    const inspect = () => onVariable(stage, name, () => stage.inspect(name, roll))
    const { kind, text, declaredType, decision } = await withConfirmation(context, stage, inspect)
    const value = out.secret(text, reveal === true)
    if (out.isJson) out.json({ name, kind, value, declaredType, decision })
    else if (out.isTerminal) out.line(value)
    else out.write(value)
    if (value !== text) out.note('The value is hidden. Add --reveal to show it.')
  },
})
