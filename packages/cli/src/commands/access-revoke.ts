import { RollkeyError } from '@rollkey/sdk'
import { exit, CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { parsePrincipal, placeText } from '../frame/principal.ts'
import { placeOf, scopeOption, type ScopeOptions } from '../frame/scope.ts'

interface Options extends ScopeOptions {
  readonly yes?: true
}

export const accessRevoke = command<Options>({
  name: 'access revoke',
  args: '<WHO> [STAGE]',
  completes: [undefined, 'stage', undefined],
  summary: 'Revoke the role that was granted on a stage, on a project or on the organization itself',
  target: 'stage',
  options: [scopeOption, ['-y, --yes', 'skip the confirmation']],
  examples: [['access revoke ada@example.com prod --yes', 'rollkey access list shows the grants']],
  async run(context, [who = '', stage], { yes, ...options }) {
    const { out, prompt } = context
    const place = placeOf(context, stage, options)
    const client = await context.service()
    const principal = await parsePrincipal(client, who)
    if (!yes) await prompt.confirm(`Revoke the role of ${who} on ${placeText(place)}?`, '--yes')
    await client.manage.access.revoke(principal, place).catch((error: unknown) => {
      if (!(error instanceof RollkeyError) || error.code !== 'NOT_FOUND') throw error
      const { code, message, requestId } = error
      throw new CliError(code, message, { status: exit.notFound, requestId, command: 'rollkey access list' })
    })
    if (out.isJson) return out.json({ principal, ...place, revoked: true })
    out.note(`Revoked the role of ${who} on ${placeText(place)}.`)
  },
})
