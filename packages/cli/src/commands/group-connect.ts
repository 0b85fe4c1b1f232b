import { command } from '../frame/command.ts'
import { findGroup } from '../frame/principal.ts'

interface Options {
  readonly yes?: true
}

export const groupConnect = command<Options>({
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
    await client.manage.groups.update(id, { idpGroup })
    if (out.isJson) return out.json({ id, idpGroup })
    out.note(`The group ${name} stands for ${idpGroup} of the identity provider.`)
  },
})
