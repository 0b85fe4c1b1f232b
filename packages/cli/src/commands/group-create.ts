import { command } from '../frame/command.ts'

interface Options {
  readonly idpGroup?: string
}

export const groupCreate = command<Options>({
  name: 'group create',
  args: '<NAME>',
  summary: 'Create a group of people',
  target: 'organization',
  options: [['--idp-group <group>', 'name or id of a group at the identity provider, whose people are the members']],
  examples: [
    ['group create "On call"', 'then rollkey group add "On call" ada@example.com'],
    ['group create "On call" --idp-group sre', 'its members come and go with the group sre of the identity provider'],
  ],
  async run(context, [name = ''], { idpGroup }) {
    const { out } = context
    const { id } = await (await context.service()).manage.groups.create(name, { idpGroup })
    if (out.isJson) return out.json({ id, name, idpGroup })
    out.note(`Created the group ${name}. Its id is ${id}.`)
  },
})
