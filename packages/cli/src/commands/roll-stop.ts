import { command } from '../frame/command.ts'
import { onRoll } from '../frame/roll.ts'
import { parseStage, undoText } from '../frame/stage-argument.ts'

export const rollStop = command({
  name: 'roll stop',
  args: '<NAME>',
  summary: 'Stop an A/B roll: everyone gets B, without rules and pins',
  target: 'stage',
  examples: [['roll stop NEW_CHECKOUT', 'the history keeps the former state, and can restore it']],
  proposal: 'roll set NAME --chance 0% --propose',
  async run(context, [name = '']) {
    const { out, settings, where } = context
    const client = await context.stage()
    const { revision } = await onRoll(client, name, () => client.stopRoll(name))
    if (out.isJson) return out.json({ name, revision })
    const undo = undoText(parseStage(context, settings.stage?.value ?? '', 'rollkey roll stop --help'), revision - 1)
    out.note(`${name} in ${where} gives everyone B (revision ${revision}). ${undo} --names ${name}`)
  },
})
