import { usage } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'

interface Options {
  readonly yes?: true
}

const known = ['list', 'read', 'write', 'approve', 'manage'] as const

export const roleSet = command<Options>({
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
    const unknown = given.find((verb) => !known.some((each) => each === verb))
    if (unknown !== undefined) throw usage(`Unknown verb ${JSON.stringify(unknown)} (expected ${known.join(', ')})`)
    const verbs = known.filter((verb) => verb === 'list' || given.includes(verb))
    const { roles } = (await context.service()).manage
    const before = (await roles.list()).roles.find((role) => role.name === name)
    const isChange = before?.isBuiltIn === false && before.verbs.join() !== verbs.join()
    if (isChange && !yes) {
      const question = `Let the role ${name} allow ${verbs.join(', ')} instead of ${before.verbs.join(', ')}? This holds for everyone who has it.`
      await prompt.confirm(question, '--yes')
    }
    await roles.set(name, verbs)
    if (out.isJson) return out.json({ name, verbs })
    out.note(`The role ${name} allows ${verbs.join(', ')}.`)
  },
})
