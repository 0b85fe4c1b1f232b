import { command } from '../frame/command.ts'
import { notePaused } from '../frame/paused.ts'
import { parseStage, stageText, undoText } from '../frame/stage-argument.ts'
import { countText } from '../frame/words.ts'
import { copyNames, namesIn, replaced, showTransfer, transferOf } from '../diff/transfer.ts'

interface Options {
  readonly overwrite?: true
  readonly dryRun?: true
  readonly yes?: true
}

export const copy = command<Options>({
  name: 'copy',
  args: '<FROM> <TO> [NAMES...]',
  summary: 'Copy variables from one stage to another without showing values, all or none',
  completes: ['stage', 'stage', 'variable'],
  target: 'project',
  options: [
    ['--overwrite', 'also replace variables that differ (default: only add new ones)'],
    ['--dry-run', 'only show what would be copied'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['copy staging prod', 'shows what is new, then asks; what differs stays as it is'],
    ['copy staging prod API_KEY LIMIT --overwrite', 'makes these two equal in prod'],
    ['copy shop/dev blog/dev --yes --json', 'between projects, in a script'],
  ],
  proposal: 'promote FROM TO --propose',
  async run(context, [fromName = '', toName = '', ...names], { overwrite = false, dryRun, yes }) {
    const { out, prompt } = context
    const stages = [parseStage(context, fromName), parseStage(context, toName)] as const
    const client = await context.service()
    const transfer = await transferOf(client, stages, names)
    const { from, to, rows, revision } = transfer
    const copied = namesIn(transfer, overwrite ? ['only-in-left', ...replaced] : ['only-in-left'])
    const kept = overwrite ? [] : rows.filter(({ state }) => replaced.includes(state)).map(({ name }) => name)
    if (!out.isJson && (copied.length === 0 || prompt.isFollowed({ yes, dryRun })))
      showTransfer(context, transfer, { kept: !overwrite })
    if (kept.length > 0) out.note(`What differs stays as it is in ${stageText(to)}. Add --overwrite to replace it.`)
    if (copied.length === 0 || dryRun) {
      if (out.isJson) out.json({ from, to, copied: dryRun ? copied : [], kept, revision })
      return out.note(dryRun ? `Nothing was written. ${countText(copied.length)} would be copied.` : 'Nothing to copy.')
    }
    const what = `${countText(copied.length)} from ${stageText(from)} to ${stageText(to)}`
    if (!yes) await prompt.confirm(`Copy ${what}?`, '--yes')
    const copiedAt = await copyNames(context, client, transfer, copied)
    if (out.isJson) return out.json({ from, to, copied, kept, revision: copiedAt })
    out.note(`Copied ${what} (revision ${copiedAt}).`)
    out.note(undoText(to, revision))
    if (overwrite) await notePaused(context, client, to, copiedAt)
  },
})
