import { command } from '../frame/command.ts'
import { findGroup } from '../frame/principal.ts'

interface Options {
  readonly yes?: true
}

export const groupDelete = command<Options>({
  name: 'group delete',
  args: '<GROUP>',
  summary: 'Delete a group; its members lose what was granted to it',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['group delete "On call" --yes', 'its grants end at once']],
  async run(context, [group = ''], { yes }) {
    const { out, prompt } = context
    const client = await context.service()
    const { id, name, members } = await findGroup(client, group)
    const question = `Delete the group ${name}? Its members (${members.length}) lose what was granted to it.`
    if (!yes) await prompt.confirm(question, '--yes')
    await client.manage.groups.delete(id)
    if (out.isJson) return out.json({ id, deleted: true })
    out.note(`Deleted the group ${name}.`)
  },
})
