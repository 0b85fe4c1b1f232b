import { RollkeyError } from '@rollkey/sdk'
import { exit, CliError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'

interface Options {
  readonly yes?: true
}

export const roleDelete = command<Options>({
  name: 'role delete',
  args: '<NAME>',
  summary: 'Delete a role of the organization that is granted to no one',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['role delete auditor --yes', 'fails while someone has the role']],
  async run(context, [name = ''], { yes }) {
    const { out, prompt } = context
    if (!yes) await prompt.confirm(`Delete the role ${name}?`, '--yes')
    const client = await context.service()
    await client.manage.roles.delete(name).catch((error: unknown) => {
      if (!(error instanceof RollkeyError) || error.code !== 'NOT_FOUND') throw error
      const { code, message, requestId } = error
      throw new CliError(code, message, { status: exit.notFound, requestId, command: 'rollkey role list' })
    })
    if (out.isJson) return out.json({ name, deleted: true })
    out.note(`Deleted the role ${name}.`)
  },
})
