import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { proposalOptions, type ProposalOptions } from '../frame/proposal.ts'
import { changeRoll, seedsOf, seedsText } from '../frame/roll.ts'

export const rollPin = command<ProposalOptions>({
  name: 'roll pin',
  args: '<NAME> <SIDE> <SEED...>',
  summary: 'Pin seeds to side a or b of an A/B roll',
  completes: ['variable', undefined],
  target: 'stage',
  options: proposalOptions,
  examples: [
    ['roll pin NEW_CHECKOUT a user-1 user-2', 'these users get A, whatever rules and chance say'],
    ['roll pin NEW_CHECKOUT b - < users.txt', 'one seed a line; keeps them out of the process list'],
  ],
  proposal: 'roll pin NAME SIDE SEED --propose',
  async run(context, [name = '', given = '', ...args], options) {
    const side = given.toLowerCase()
    if (side !== 'a' && side !== 'b') throw usage('The side is neither a nor b')
    const seeds = await seedsOf(context, args)
    if (seeds.length === 0) throw usage('There is no seed to pin: pass at least one')
    const what = `Pinned ${seedsText(seeds.length)} to ${side.toUpperCase()} of ${name}`
    await changeRoll(context, name, { pin: { [side]: seeds } }, { what, options })
  },
})
