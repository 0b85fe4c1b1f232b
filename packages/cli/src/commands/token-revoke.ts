import { RollkeyError } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { exit, CliError } from '../frame/cli-error.ts'

interface Options {
  readonly yes?: true
}

export const tokenRevoke = command<Options>({
  name: 'token revoke',
  args: '<ID>',
  summary: 'Revoke a service token at once',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['token revoke tok_1a2b --yes', 'rollkey token list shows the ids']],
  async run(context, [id = ''], { yes }) {
    const { out, prompt } = context
    const { tokens } = await context.service()
    if (!yes) await prompt.confirm(`Revoke ${id}? Applications that use it lose access at once.`, '--yes')
    await tokens.revoke(id).catch((error: unknown) => {
      if (error instanceof RollkeyError && error.code === 'NOT_FOUND') throw noSuchToken(id, error)
      throw error
    })
    if (out.isJson) out.json({ id, revoked: true })
    else out.note(`Revoked ${id}.`)
  },
})

function noSuchToken(id: string, { code, requestId }: RollkeyError): CliError {
  return new CliError(code, `Service token ${id} does not exist or is already revoked`, {
    status: exit.notFound,
    requestId,
    command: 'rollkey token list',
  })
}
