import type { Answer } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import { placeText, principalText } from '../frame/principal.ts'
import { parseStage } from '../frame/stage-argument.ts'

interface Options {
  readonly yes?: true
  readonly dryRun?: true
}

export const stageProtect = command<Options>({
  name: 'stage protect',
  args: '<STAGE>',
  summary: 'Protect a stage from access that was granted around it, after a list of who loses what',
  completes: ['stage', undefined],
  target: 'stage',
  options: [
    ['--dry-run', 'only list who would lose what'],
    ['-y, --yes', 'skip the confirmation'],
  ],
  examples: [
    ['stage protect prod', 'lists who loses what, and asks'],
    ['stage protect shop/prod --dry-run --json', 'for a script; changes nothing'],
  ],
  async run(context, [name = ''], { yes, dryRun }) {
    const { out, prompt } = context
    const stage = parseStage(context, name)
    const client = (await context.service()).at(stage)
    const where = placeText({ projectSlug: stage.project, stageSlug: stage.stage })
    const { losing } = await client.manage.stage.protect(true, { dryRun: true })
    if (!out.isJson) showLosing(out, losing)
    if (dryRun !== true) {
      if (!yes) await prompt.confirm(`Protect ${where}?`, '--yes')
      await client.manage.stage.protect(true)
    }
    if (out.isJson) return out.json({ ...stage, isProtected: true, dryRun: dryRun === true, losing })
    out.note(
      dryRun
        ? `Nothing was changed. This is what protecting ${where} would take away.`
        : `${where} is protected: only grants on the stage itself give read, write and approve.`,
    )
  },
})

type Losing = Answer<'stageProtect'>['losing']

function showLosing(out: Output, losing: Losing): void {
  const rows = losing.map(({ principal, verbs }) => [
    principal ? principalText(principal) : 'every member, by the default role',
    verbs.join(', '),
  ])
  if (rows.length === 0) out.note('No one loses anything.')
  else out.table(['who', 'loses'], rows)
}
