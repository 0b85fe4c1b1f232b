/**
 * The commands that manage service tokens (docs/api.md, "Service tokens"). If the identity provider reports no roles, they
 * are the only way to create one.
 */
import { endpoints, limits } from '@rollkey/contract'
import { operatorOf } from '../storage/actor.ts'
import { CommandRefused, orgIdOf, refusing, type AdminCommand } from './command.ts'

const invalidArguments = `Invalid NAME, PROJECT or STAGE (expected a name of 1 to ${limits.tokenNameCharacters} characters, and slugs).`

export const tokenCreate: AdminCommand = {
  about: 'create a service token for an organization, a project or a stage, and print it once',
  takes: ['ORGANIZATION', 'NAME', '[PROJECT]', '[STAGE]'],
  run: async ({ sql, serviceTokens }, [organization = '', name, projectSlug, stageSlug]) => {
    const body = endpoints.tokenCreate.request.safeParse({ orgSlug: organization, name, projectSlug, stageSlug })
    if (!body.success) throw new CommandRefused(invalidArguments)
    return serviceTokens.create(operatorOf(await orgIdOf(sql, organization)), body.data)
  },
}

export const tokenList: AdminCommand = {
  about: 'list the active service tokens of an organization',
  takes: ['ORGANIZATION'],
  run: async ({ sql, serviceTokens }, [organization = '']) => ({
    tokens: await serviceTokens.list(await orgIdOf(sql, organization)),
  }),
}

export const tokenRevoke: AdminCommand = {
  about: 'revoke a service token immediately',
  takes: ['ORGANIZATION', 'ID'],
  run: async ({ sql, serviceTokens }, [organization = '', id = '']) => {
    await refusing(serviceTokens.revoke(operatorOf(await orgIdOf(sql, organization)), id))
    return { revoked: id }
  },
}
