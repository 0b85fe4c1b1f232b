import type { ListedVariable } from '@rollkey/sdk/core'
import { joinNames } from '../formats/refuse.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { expectNames } from '../frame/names.ts'
import { templatesOf } from '../frame/templates.ts'
import { notePaused } from '../frame/paused.ts'
import { noteUndo, stageOf } from '../frame/stage-argument.ts'
import { isProposal, proposeChange, proposalOptions, type ProposalOptions } from '../frame/proposal.ts'

interface Options extends ProposalOptions {
  readonly yes?: true
}

export const deleteCommand = command<Options>({
  name: 'delete',
  args: '<NAME...>',
  summary: 'Delete variables, all or none',
  completes: ['variable'],
  target: 'stage',
  options: [['-y, --yes', 'skip the confirmation'], ...proposalOptions],
  examples: [
    ['delete OLD_KEY', 'asks for confirmation'],
    ['delete OLD_KEY OLDER_KEY --stage dev --yes', 'in a script'],
  ],
  async run(context, names, { yes, ...options }) {
    const { out, prompt, where } = context
    const stage = await context.stage()
    const { variables, revision } = await stage.list()
    expectNames(names, variables)
    expectNoTemplates(names, variables)
    if (isProposal(options)) return proposeChange(context, stage, { deletes: [...names] }, options)
    if (!yes) await prompt.confirm(`Delete ${names.join(', ')} from ${where}?`, '--yes')
    const { deleted, ...answer } = await stage.write({ deletes: [...names], ifRevision: revision })
    if (out.isJson) return out.json({ deleted, revision: answer.revision })
    out.note(`Deleted from ${where}: ${deleted.join(', ')} (revision ${answer.revision}).`)
    noteUndo(context, deleted, answer.revision)
    if (variables.some(({ name, kind }) => kind === 'ab_roll' && deleted.includes(name)))
      await notePaused(context, stage, stageOf(context), answer.revision)
  },
})

/** Throws INVALID_REQUEST, before a person confirms, if a template that stays names what is deleted. */
function expectNoTemplates(names: readonly string[], variables: readonly ListedVariable[]): void {
  const templates = templatesOf(names, variables)
  if (templates.length === 0) return
  throw new CliError(
    'INVALID_REQUEST',
    `Templates need what would be deleted: ${joinNames(templates)}. Delete them too, or change them first`,
    { status: exit.invalid, command: 'rollkey list' },
  )
}
