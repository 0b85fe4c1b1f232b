import { RollkeyError } from '@rollkey/sdk'
import { command } from '../frame/command.ts'
import { exit, CliError } from '../frame/cli-error.ts'

interface Options {
  readonly yes?: true
}

export const tokenRevoke = command<Options>({
  name: 'token revoke',
  args: '<ID>',
  summary: 'End a service token at once',
  reach: 'organization',
  options: [['-y, --yes', 'do not ask']],
  examples: [['token revoke tok_1a2b --yes', 'ids: rollkey token list']],
  async run(context, [id = ''], { yes }) {
    const { out, prompt } = context
    const { tokens } = await context.service()
    if (!yes) await prompt.confirm(`Revoke ${id}? What uses it stops working at once.`, '--yes')
    await tokens.revoke(id).catch((error: unknown) => {
      if (error instanceof RollkeyError && error.code === 'NOT_FOUND') throw noSuchToken(id, error)
      throw error
    })
    if (out.isJson) out.json({ id, revoked: true })
    else out.note(`Revoked ${id}.`)
  },
})

function noSuchToken(id: string, { code, requestId }: RollkeyError): CliError {
  return new CliError(code, `There is no service token ${id}, or it is revoked already`, {
    status: exit.notFound,
    requestId,
    command: 'rollkey token list',
  })
}
