import { command } from '../frame/command.ts'
import { isProposal, proposalOptions, proposeChange, type ProposalOptions } from '../frame/proposal.ts'
import { onRoll } from '../frame/roll.ts'
import { parseStage, undoText } from '../frame/stage-argument.ts'

export const rollStop = command<ProposalOptions>({
  name: 'roll stop',
  args: '<NAME>',
  summary: 'Stop an A/B roll: everyone gets B, without rules and pins',
  completes: ['variable', undefined],
  target: 'stage',
  options: proposalOptions,
  examples: [['roll stop NEW_CHECKOUT', 'the history keeps the former state, and can restore it']],
  proposal: 'roll stop NAME --propose',
  async run(context, [name = ''], options) {
    const { out, settings, where } = context
    const client = await context.stage()
    if (isProposal(options)) {
      const stopped = { name, chance: 0, pins: null, rules: null }
      return onRoll(client, name, () => proposeChange(context, client, { updates: [stopped] }, options))
    }
    const { revision } = await onRoll(client, name, () => client.stopRoll(name))
    if (out.isJson) return out.json({ name, revision })
    const undo = undoText(parseStage(context, settings.stage?.value ?? ''), revision - 1)
    out.note(`${name} in ${where} gives everyone B (revision ${revision}). ${undo} --names ${name}`)
  },
})
