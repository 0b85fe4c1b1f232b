import { command } from '../frame/command.ts'

export const groupCreate = command({
  name: 'group create',
  args: '<NAME>',
  summary: 'Create a group of people',
  target: 'organization',
  examples: [['group create "On call"', 'then rollkey group add "On call" ada@example.com']],
  async run(context, [name = '']) {
    const { out } = context
    const { id } = await (await context.service()).manage.groups.create(name)
    if (out.isJson) return out.json({ id, name })
    out.note(`Created the group ${name}. Its id is ${id}.`)
  },
})
