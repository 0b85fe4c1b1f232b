import { command } from '../frame/command.ts'
import { findGroup } from '../frame/principal.ts'

export const groupDisconnect = command({
  name: 'group disconnect',
  args: '<GROUP>',
  summary: 'Keep the members of a group in Rollkey again; those that it has stay',
  target: 'organization',
  examples: [['group disconnect "On call"', 'then rollkey group add and rollkey group remove change its members']],
  async run(context, [group = '']) {
    const { out } = context
    const client = await context.service()
    const { id, name } = await findGroup(client, group)
    await client.manage.groups.update(id, { idpGroup: null })
    if (out.isJson) return out.json({ id, idpGroup: null })
    out.note(`The members of the group ${name} are kept in Rollkey.`)
  },
})
