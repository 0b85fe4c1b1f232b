import { command } from '../frame/command.ts'
import { principalText } from '../frame/principal.ts'

export const groupList = command({
  name: 'group list',
  summary: 'List the groups of the organization and their members',
  target: 'organization',
  examples: [
    ['group list', 'the members of each group'],
    ['group list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { groups } = await (await context.service()).manage.groups.list()
    if (out.isJson) return out.json({ groups })
    const rows = groups.map(({ name, id, idpGroup, members }) => [
      name,
      id,
      idpGroup ?? '',
      members.map(principalText).join(', '),
    ])
    out.table(['name', 'id', 'idp group', 'members'], rows)
    if (groups.length === 0) out.note('There are no groups. Create one with rollkey group create.')
  },
})
