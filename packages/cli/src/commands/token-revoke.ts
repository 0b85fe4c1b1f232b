import { command } from '../frame/command.ts'

interface Options {
  readonly yes?: true
}

export const tokenRevoke = command<Options>({
  name: 'token revoke',
  args: '<ID>',
  summary: 'End a service token at once',
  reach: 'organization',
  options: [['-y, --yes', 'do not ask']],
  examples: [['token revoke ses_1a2b --yes', 'ids: rollkey token list']],
  async run(context, [id = ''], { yes }) {
    const { out, prompt } = context
    const { tokens } = await context.service()
    if (!yes) await prompt.confirm(`Revoke ${id}? What uses it stops working at once.`, '--yes')
    await tokens.revoke(id)
    if (out.isJson) out.json({ id, revoked: true })
    else out.note(`Revoked ${id}.`)
  },
})
