import type { VariableUpdate } from '@rollkey/sdk'
import { chanceForm, chanceOf } from '../frame/chance.ts'
import { command } from '../frame/command.ts'
import { usage } from '../frame/cli-error.ts'
import { proposalOptions, type ProposalOptions } from '../frame/proposal.ts'
import { changeRoll } from '../frame/roll.ts'

interface Options extends ProposalOptions {
  readonly chance?: string
  readonly labels?: readonly string[] | false
}

export const rollSet = command<Options>({
  name: 'roll set',
  args: '<NAME>',
  summary: 'Set the chance of an A/B roll, or the labels of its sides, and keep its values',
  completes: ['variable', undefined],
  target: 'stage',
  options: [
    ['--chance <chance>', `probability of A, such as ${chanceForm}`],
    ['--labels <labels...>', 'names of A and B'],
    ['--no-labels', 'remove the names'],
    ...proposalOptions,
  ],
  examples: [
    ['roll set NEW_CHECKOUT --chance 50%', 'no user who has A loses it if the chance rises'],
    ['roll set NEW_CHECKOUT --labels on off', 'OpenFeature shows them as variants'],
  ],
  proposal: 'roll set NAME --propose',
  async run(context, [name = ''], { chance, labels, ...options }) {
    const change: Omit<VariableUpdate, 'name'> = {
      ...(chance !== undefined && { chance: chanceOf(chance) }),
      ...(labels === false ? { labels: null } : Array.isArray(labels) && { labels: labelsOf(labels) }),
    }
    if (Object.keys(change).length === 0) throw usage('Nothing to set: add --chance, --labels or --no-labels')
    const what = `Changed the ${Object.keys(change).join(' and ')} of ${name}`
    await changeRoll(context, name, change, { what, options })
  },
})

function labelsOf([a, b, ...more]: readonly string[]): { a: string; b: string } {
  if (a === undefined || b === undefined || more.length > 0) throw usage('--labels needs exactly two names')
  return { a, b }
}
