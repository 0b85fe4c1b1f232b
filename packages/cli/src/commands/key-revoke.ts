import { command } from '../frame/command.ts'

interface Options {
  readonly yes?: true
}

export const keyRevoke = command<Options>({
  name: 'key revoke',
  args: '<ID>',
  summary: 'Revoke a client key at once',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['key revoke key_1a2b --yes', 'rollkey key list shows the ids']],
  async run(context, [id = ''], { yes }) {
    const { out, prompt } = context
    const client = await context.service()
    if (!yes)
      await prompt.confirm(`Revoke ${id}? Pages and apps that use it get their default values at once.`, '--yes')
    await client.manage.keys.revoke(id)
    if (out.isJson) return out.json({ id, revoked: true })
    out.note(`Revoked ${id}.`)
  },
})
