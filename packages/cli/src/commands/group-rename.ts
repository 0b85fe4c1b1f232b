import { command } from '../frame/command.ts'
import { findGroup } from '../frame/principal.ts'

export const groupRename = command({
  name: 'group rename',
  args: '<GROUP> <NAME>',
  summary: 'Rename a group; its members and grants stay',
  target: 'organization',
  examples: [['group rename "On call" Operations', 'names the group Operations']],
  async run(context, [group = '', name = '']) {
    const { out } = context
    const client = await context.service()
    const { id } = await findGroup(client, group)
    await client.manage.groups.update(id, { name })
    if (out.isJson) return out.json({ id, name })
    out.note(`The group ${group} is now called ${name}.`)
  },
})
