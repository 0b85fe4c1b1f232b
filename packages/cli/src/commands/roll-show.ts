import { command } from '../frame/command.ts'
import { withConfirmation } from '../frame/confirmation.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { expectNames } from '../frame/names.ts'
import { ruleTexts, seedsText } from '../frame/roll.ts'

interface Options {
  readonly pins?: true
}

export const rollShow = command<Options>({
  name: 'roll show',
  args: '<NAME>',
  summary: 'Show how an A/B roll decides, without its values',
  completes: ['variable', undefined],
  target: 'stage',
  options: [['--pins', 'list the pinned seeds, which the audit log records']],
  examples: [
    ['roll show NEW_CHECKOUT', 'the order of its decision: pins, rules, chance'],
    ['roll show NEW_CHECKOUT --pins --json', 'with the pinned seeds, for a script'],
  ],
  async run(context, [name = ''], { pins: showsPins }) {
    const { out } = context
    const client = await context.stage()
    const { variables, revision } = await client.list()
    expectNames([name], variables)
    const { chance, labels, rules = [], pinned = { a: 0, b: 0 } } = variables.find((each) => each.name === name) ?? {}
    if (chance === undefined)
      throw new CliError('INVALID_REQUEST', `${name} is not a roll`, { status: exit.invalid, command: 'rollkey list' })
    const pins = showsPins && (await withConfirmation(context, client, () => client.pins(name)))
    const seeds = pins && { a: pins.a, b: pins.b }
    if (out.isJson) return out.json({ name, revision, chance, labels, rules, pinned, ...(seeds && { pins: seeds }) })
    const sideText = (side: 'a' | 'b'): string => `${side.toUpperCase()}${labels ? ` (${labels[side]})` : ''}`
    const pinRows = (['a', 'b'] as const).flatMap((side) =>
      (seeds?.[side] ?? (pinned[side] > 0 ? [seedsText(pinned[side])] : [])).map((seed) => [
        'pin',
        seed,
        sideText(side),
      ]),
    )
    const ruleRows = rules.map((rule, index) => [`rule ${index + 1}`, ...ruleTexts(rule)])
    out.table(
      ['step', 'for', 'gives'],
      [...pinRows, ...ruleRows, ['chance', 'others', `${sideText('a')} with probability ${chance}`]],
    )
  },
})
