/** Commands about sessions of the command line: for whoever has no web application, or cannot sign in to it. */
import { operatorOf } from '../base/actor.ts'
import { CommandRefused, orgIdOf, type AdminCommand } from './command.ts'

export const sessionList: AdminCommand = {
  about: 'the sessions of command lines of an organization that can still be used',
  takes: ['ORGANIZATION'],
  run: async ({ sql, sessions }, [organization = '']) => ({
    sessions: await sessions.list(await orgIdOf(sql, organization)),
  }),
}

export const sessionRevoke: AdminCommand = {
  about: 'end a session of a command line at once',
  takes: ['ORGANIZATION', 'ID'],
  run: async ({ sql, sessions }, [organization = '', id = '']) => {
    const orgId = await orgIdOf(sql, organization)
    const [found] = await sessions.list(orgId, { id })
    const by = { actor: operatorOf(orgId), action: 'session.revoke' } as const
    if (found && (await sessions.revoke(id, 'revoked', by))) return { revoked: id }
    throw new CommandRefused('There is no session of this id that can still be used.')
  },
}
