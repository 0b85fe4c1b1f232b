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
    out.table(['name', 'id', 'members'], groups.map(({ name, id, members }) => [name, id, members.map(principalText).join(', ')])) // prettier-ignore
    if (groups.length === 0) out.note('There are no groups. Create one with rollkey group create.')
  },
})
