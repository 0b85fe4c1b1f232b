import { command } from '../frame/command.ts'
import { changeMembers } from '../frame/principal.ts'

export const groupRemove = command({
  name: 'group remove',
  args: '<GROUP> <WHO...>',
  summary: 'Remove people from a group, all or none',
  target: 'organization',
  examples: [['group remove "On call" ada@example.com', 'they lose what was granted to the group']],
  async run(context, [group = '', ...people]) {
    const { id, members } = await changeMembers(await context.service(), 'remove', group, people)
    if (context.out.isJson) return context.out.json({ id, remove: members })
    context.out.note(`Removed ${people.join(', ')} from the group ${group}.`)
  },
})
