import { RollkeyError } from '@rollkey/sdk'
import { hasDesktop, openBrowser } from '../frame/browser.ts'
import { exit, CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { placeText } from '../frame/principal.ts'
import { parseStage } from '../frame/stage-argument.ts'

interface Options {
  readonly yes?: true
}

export const stageUnprotect = command<Options>({
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
    await client.manage.stage.protect(false).catch(async (error: unknown) => {
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
