import { type LostAccess, RollkeyError } from '@rollkey/sdk'
import { hasDesktop, openBrowser } from '../frame/browser.ts'
import { CliError, exit } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import type { Output } from '../frame/output.ts'
import { placeText, principalText } from '../frame/principal.ts'
import { parseStage } from '../frame/stage-argument.ts'

interface ProtectOptions {
  readonly yes?: true
  readonly dryRun?: true
}

const stageProtect = command<ProtectOptions>({
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
    const { losing } = await client.manage.stage.protect({ isProtected: true, dryRun: true })
    if (!out.isJson) showLosing(out, losing)
    if (dryRun !== true) {
      if (!yes) await prompt.confirm(`Protect ${where}?`, '--yes')
      await client.manage.stage.protect({ isProtected: true })
    }
    if (out.isJson) return out.json({ ...stage, isProtected: true, dryRun: dryRun === true, losing })
    out.note(
      dryRun
        ? `Nothing was changed. This is what protecting ${where} would take away.`
        : `${where} is protected: only grants on the stage itself give read, write and approve.`,
    )
  },
})

function showLosing(out: Output, losing: readonly LostAccess[]): void {
  const rows = losing.map(({ principal, verbs }) => [
    principal ? principalText(principal) : 'every member, by the default role',
    verbs.join(', '),
  ])
  if (rows.length === 0) out.note('No one loses anything.')
  else out.table(['who', 'loses'], rows)
}

interface UnprotectOptions {
  readonly yes?: true
}

const stageUnprotect = command<UnprotectOptions>({
  name: 'stage unprotect',
  args: '<STAGE>',
  summary: 'End the protection of a stage; a login of the command line leads to the page that does so',
  completes: ['stage', undefined],
  target: 'stage',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['stage unprotect shop/prod', 'what is granted around the stage applies there again']],
  async run(context, [name = ''], { yes }) {
    const { out, prompt, settings } = context
    const stage = parseStage(context, name)
    const client = (await context.service()).at(stage)
    const where = placeText({ projectSlug: stage.project, stageSlug: stage.stage })
    const question = `End the protection of ${where}? What is granted on the project and the organization applies there again.`
    if (!yes) await prompt.confirm(question, '--yes')
    await client.manage.stage.protect({ isProtected: false }).catch(async (error: unknown) => {
      if (!(error instanceof RollkeyError) || error.code !== 'CONFIRMATION_REQUIRED') throw error
      const { orgSlug } = await client.session.show()
      const page = new URL(`/o/${orgSlug}/p/${stage.project}/access`, settings.url.value).href
      if (prompt.isPossible && hasDesktop(context)) await openBrowser(page)
      const { code, requestId } = error
      const what = `A command-line session cannot confirm that it is you, which this needs. End the protection of ${where} in the web application at ${page}`
      throw new CliError(code, what, { status: exit.forbidden, requestId, command: 'rollkey access list' })
    })
    if (out.isJson) return out.json({ ...stage, isProtected: false })
    out.note(`${where} is not protected anymore.`)
  },
})

export const stageCommands = [stageProtect, stageUnprotect]
