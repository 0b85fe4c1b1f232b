import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { changeRoll, seedsOf, seedsText } from '../frame/roll.ts'

interface Options {
  readonly all?: true
}

const help = 'rollkey roll unpin --help'

export const rollUnpin = command<Options>({
  name: 'roll unpin',
  args: '<NAME> [SEED...]',
  summary: 'Remove pins of an A/B roll',
  target: 'stage',
  options: [['--all', 'remove all pins']],
  examples: [
    ['roll unpin NEW_CHECKOUT user-1', 'rules and chance decide for this user again'],
    ['roll unpin NEW_CHECKOUT - < users.txt', 'one seed a line'],
    ['roll unpin NEW_CHECKOUT --all', 'the history keeps the former pins'],
  ],
  proposal: null,
  async run(context, [name = '', ...args], { all }) {
    if (all !== undefined && args.length > 0) throw usage('--all takes no seeds', help)
    if (all) return changeRoll(context, name, { pins: null }, `Removed all pins of ${name}`)
    const seeds = await seedsOf(context, args)
    if (seeds.length === 0) throw usage('There is no seed to unpin: pass one, or --all', help)
    await changeRoll(context, name, { unpin: seeds }, `Removed the pins of ${seedsText(seeds.length)} of ${name}`)
  },
})
