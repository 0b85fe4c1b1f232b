import { command } from '../frame/command.ts'
import { changeMembers } from '../frame/principal.ts'

export const groupAdd = command({
  name: 'group add',
  args: '<GROUP> <WHO...>',
  summary: 'Add people to a group, all or none',
  target: 'organization',
  examples: [
    ['group add "On call" ada@example.com grace@example.com', 'also before they have accepted the invitation'],
  ],
  async run(context, [group = '', ...people]) {
    const { id, members } = await changeMembers(await context.service(), 'add', group, people)
    if (context.out.isJson) return context.out.json({ id, add: members })
    context.out.note(`Added ${people.join(', ')} to the group ${group}.`)
  },
})
