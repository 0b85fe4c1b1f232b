import { verbs as allVerbs } from '@rollkey/contract/rules'
import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { orOnPage } from '../frame/confirmation.ts'
import { removal } from '../frame/removal.ts'

const roleList = command({
  name: 'role list',
  summary: 'List the roles that can be granted, and what they allow',
  target: 'organization',
  examples: [
    ['role list', 'the built-in roles first'],
    ['role list --json', 'for a script'],
  ],
  async run(context) {
    const { out } = context
    const { roles } = await (await context.service()).manage.roles.list()
    if (out.isJson) return out.json({ roles })
    const rows = roles.map(({ name, verbs, isBuiltIn }) => [name, isBuiltIn ? 'built-in' : 'own', verbs.join(', ')])
    out.table(['name', 'kind', 'allows'], rows)
  },
})

interface SetOptions {
  readonly yes?: true
}

const roleSet = command<SetOptions>({
  name: 'role set',
  args: '<NAME> <VERB...>',
  summary: 'Add a role to the organization, or change what one allows for everyone who has it',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation of a change']],
  examples: [
    ['role set auditor manage', 'sees names and manages access; every role contains list'],
    ['role set auditor read manage --yes', 'reads values too, from the next request on'],
  ],
  async run(context, [name = '', ...given], { yes }) {
    const { out, prompt } = context
    const unknown = given.find((verb) => !allVerbs.some((each) => each === verb))
    if (unknown !== undefined) throw usage(`Unknown verb ${JSON.stringify(unknown)} (expected ${allVerbs.join(', ')})`)
    const verbs = allVerbs.filter((verb) => verb === 'list' || given.includes(verb))
    const client = await context.service()
    const { roles } = client.manage
    const before = (await roles.list()).roles.find((role) => role.name === name)
    const isChange = before?.isBuiltIn === false && before.verbs.join() !== verbs.join()
    if (isChange && !yes) {
      const question = `Let the role ${name} allow ${verbs.join(', ')} instead of ${before.verbs.join(', ')}? This holds for everyone who has it.`
      await prompt.confirm(question, '--yes')
    }
    const page = { path: '/members/roles', what: `Set what the role ${name} allows`, command: 'rollkey role list' }
    await orOnPage(context, client, page, () => roles.set({ name, verbs }))
    if (out.isJson) return out.json({ name, verbs })
    out.note(`The role ${name} allows ${verbs.join(', ')}.`)
  },
})

const roleDelete = removal({
  name: 'role delete',
  args: '<NAME>',
  summary: 'Delete a role of the organization that is granted to no one',
  target: 'organization',
  examples: [['role delete auditor --yes', 'fails while someone has the role']],
  async find(context, [name = '']) {
    const { roles } = (await context.service()).manage
    return { what: `the role ${name}`, key: { name }, remove: () => roles.delete({ name }) }
  },
})

export const roleCommands = [roleList, roleSet, roleDelete]
