import { command } from '../frame/command.ts'
import { orOnPage, type Page } from '../frame/confirmation.ts'
import { changeMembers, findGroup, principalText } from '../frame/principal.ts'
import { removal } from '../frame/removal.ts'

function groupsPage(what: string): Page {
  return { path: '/members/groups', what, command: 'rollkey group list' }
}

const groupList = command({
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

interface CreateOptions {
  readonly idpGroup?: string
}

const groupCreate = command<CreateOptions>({
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
    const { id } = await (await context.service()).manage.groups.create({ name, idpGroup })
    if (out.isJson) return out.json({ id, name, idpGroup })
    out.note(`Created the group ${name}. Its id is ${id}.`)
  },
})

const groupRename = command({
  name: 'group rename',
  args: '<GROUP> <NAME>',
  summary: 'Rename a group; its members and grants stay',
  target: 'organization',
  examples: [['group rename "On call" Operations', 'names the group Operations']],
  async run(context, [group = '', name = '']) {
    const { out } = context
    const client = await context.service()
    const { id } = await findGroup(client, group)
    await client.manage.groups.update({ id, name })
    if (out.isJson) return out.json({ id, name })
    out.note(`The group ${group} is now called ${name}.`)
  },
})

const groupAdd = command({
  name: 'group add',
  args: '<GROUP> <WHO...>',
  summary: 'Add people to a group, all or none',
  target: 'organization',
  examples: [
    ['group add "On call" ada@example.com grace@example.com', 'also before they have accepted the invitation'],
  ],
  async run(context, [group = '', ...people]) {
    const client = await context.service()
    const add = () => changeMembers(client, 'add', group, people)
    const { id, members } = await orOnPage(context, client, groupsPage(`Add people to the group ${group}`), add)
    if (context.out.isJson) return context.out.json({ id, add: members })
    context.out.note(`Added ${people.join(', ')} to the group ${group}.`)
  },
})

const groupRemove = command({
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

interface ConnectOptions {
  readonly yes?: true
}

const groupConnect = command<ConnectOptions>({
  name: 'group connect',
  args: '<GROUP> <IDP-GROUP>',
  summary: 'Let a group stand for a group of the identity provider, whose people become its members',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [
    ['group connect "On call" sre --yes', 'by the name or id in the claim of the provider'],
    ['group connect "On call" keycloak:/sre --yes', "of a company's provider, with its name in front"],
  ],
  async run(context, [group = '', idpGroup = ''], { yes }) {
    const { out, prompt } = context
    const client = await context.service()
    const { id, name, members } = await findGroup(client, group)
    const question = `Connect the group ${name} with ${idpGroup}? Its members (${members.length}) leave it; those of ${idpGroup} join with their next sign-in.`
    if (!yes) await prompt.confirm(question, '--yes')
    const page = groupsPage(`Connect the group ${name} with ${idpGroup}`)
    await orOnPage(context, client, page, () => client.manage.groups.update({ id, idpGroup }))
    if (out.isJson) return out.json({ id, idpGroup })
    out.note(`Connected the group ${name} with ${idpGroup} of the identity provider.`)
  },
})

const groupDisconnect = command({
  name: 'group disconnect',
  args: '<GROUP>',
  summary: 'Keep the members of a group in Rollkey again; those that it has stay',
  target: 'organization',
  examples: [['group disconnect "On call"', 'then rollkey group add and rollkey group remove change its members']],
  async run(context, [group = '']) {
    const { out } = context
    const client = await context.service()
    const { id, name } = await findGroup(client, group)
    await client.manage.groups.update({ id, idpGroup: null })
    if (out.isJson) return out.json({ id, idpGroup: null })
    out.note(`The members of the group ${name} are kept in Rollkey.`)
  },
})

const groupDelete = removal({
  name: 'group delete',
  args: '<GROUP>',
  summary: 'Delete a group; its members lose what was granted to it',
  target: 'organization',
  examples: [['group delete "On call" --yes', 'its grants end at once']],
  async find(context, [group = '']) {
    const client = await context.service()
    const { id, name, members } = await findGroup(client, group)
    const effect = `Its members (${members.length}) lose what was granted to it.`
    return { what: `the group ${name}`, effect, key: { id }, remove: () => client.manage.groups.delete({ id }) }
  },
})

export const groupCommands = [
  groupList,
  groupCreate,
  groupRename,
  groupAdd,
  groupRemove,
  groupConnect,
  groupDisconnect,
  groupDelete,
]
