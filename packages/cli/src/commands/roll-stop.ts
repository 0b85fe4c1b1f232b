import { command } from '../frame/command.ts'
import { onRoll } from '../frame/roll.ts'

export const rollStop = command({
  name: 'roll stop',
  args: '<NAME>',
  summary: 'Stop an A/B roll: everyone gets B, without rules and pins',
  target: 'stage',
  examples: [['roll stop NEW_CHECKOUT', 'the history keeps the former state, and can restore it']],
  async run(context, [name = '']) {
    const { out, where } = context
    const client = await context.stage()
    const { revision } = await onRoll(client, name, () => client.stopRoll(name))
    if (out.isJson) return out.json({ name, revision })
    out.note(
      `${name} in ${where} gives everyone B (revision ${revision}). To undo it, restore revision ${revision - 1}.`,
    )
  },
})
