import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { proposalOptions, type ProposalOptions } from '../frame/proposal.ts'
import { changeRoll, seedsOf, seedsText } from '../frame/roll.ts'

interface Options extends ProposalOptions {
  readonly all?: true
}

export const rollUnpin = command<Options>({
  name: 'roll unpin',
  args: '<NAME> [SEED...]',
  summary: 'Remove pins of an A/B roll',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--all', 'remove all pins'], ...proposalOptions],
  examples: [
    ['roll unpin NEW_CHECKOUT user-1', 'rules and chance decide for this user again'],
    ['roll unpin NEW_CHECKOUT - < users.txt', 'one seed a line'],
    ['roll unpin NEW_CHECKOUT --all', 'the history keeps the former pins'],
  ],
  proposal: 'roll unpin NAME SEED --propose',
  async run(context, [name = '', ...args], { all, ...options }) {
    if (all !== undefined && args.length > 0) throw usage('--all takes no seeds')
    if (all) return changeRoll(context, name, { pins: null }, { what: `Removed all pins of ${name}`, options })
    const seeds = await seedsOf(context, args)
    if (seeds.length === 0) throw usage('There is no seed to unpin: pass one, or --all')
    const what = `Removed the pins of ${seedsText(seeds.length)} of ${name}`
    await changeRoll(context, name, { unpin: seeds }, { what, options })
  },
})
