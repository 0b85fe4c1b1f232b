/** Commands about service tokens: docs/api.md. Where the provider tells no roles, they are the only way to one. */
import { endpoints, limits } from '@rollkey/contract'
import { operatorOf } from '../base/actor.ts'
import { CommandRefused, orgIdOf, refusing, type AdminCommand } from './command.ts'

const notValid = `NAME must be 1 to ${limits.tokenNameCharacters} characters, PROJECT and STAGE must be slugs.`

export const tokenCreate: AdminCommand = {
  about: 'make a service token, of all projects or one, and print it this once',
  takes: ['ORGANIZATION', 'NAME', '[PROJECT]', '[STAGE]'],
  run: async ({ sql, serviceTokens }, [organization = '', name, projectSlug, stageSlug]) => {
    const asked = endpoints.tokenCreate.request.safeParse({ orgSlug: organization, name, projectSlug, stageSlug })
    if (!asked.success) throw new CommandRefused(notValid)
    return serviceTokens.create(operatorOf(await orgIdOf(sql, organization)), asked.data)
  },
}

export const tokenList: AdminCommand = {
  about: 'the service tokens of an organization',
  takes: ['ORGANIZATION'],
  run: async ({ sql, serviceTokens }, [organization = '']) => ({
    tokens: await serviceTokens.list(await orgIdOf(sql, organization)),
  }),
}

export const tokenRevoke: AdminCommand = {
  about: 'end a service token at once',
  takes: ['ORGANIZATION', 'ID'],
  run: async ({ sql, serviceTokens }, [organization = '', id = '']) => {
    await refusing(serviceTokens.revoke(operatorOf(await orgIdOf(sql, organization)), id))
    return { revoked: id }
  },
}
