import { command } from '../frame/command.ts'

export const roleList = command({
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
