import { command } from '../frame/command.ts'

interface Options {
  readonly yes?: true
}

export const trustDelete = command<Options>({
  name: 'trust delete',
  args: '<ID>',
  summary: 'Delete a trust; the tokens that it gave stop working at once',
  target: 'organization',
  options: [['-y, --yes', 'skip the confirmation']],
  examples: [['trust delete tru_1a2b --yes', 'rollkey trust list shows the ids']],
  async run(context, [id = ''], { yes }) {
    const { out, prompt } = context
    const client = await context.service()
    if (!yes) await prompt.confirm(`Delete ${id}? Jobs that use it lose access at once.`, '--yes')
    await client.manage.trusts.delete(id)
    if (out.isJson) return out.json({ id, deleted: true })
    out.note(`Deleted ${id}.`)
  },
})
