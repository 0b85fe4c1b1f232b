/** The commands that manage sessions of command-line clients, for operators without access to the web application. */
import { operatorOf } from '../storage/actor.ts'
import { CommandRefused, orgIdOf, type AdminCommand } from './command.ts'

export const sessionList: AdminCommand = {
  about: 'list the active command-line sessions of an organization',
  takes: ['ORGANIZATION'],
  run: async ({ sql, sessions }, [organization = '']) => ({
    sessions: await sessions.list(await orgIdOf(sql, organization)),
  }),
}

export const sessionRevoke: AdminCommand = {
  about: 'revoke a command-line session immediately',
  takes: ['ORGANIZATION', 'ID'],
  run: async ({ sql, sessions }, [organization = '', id = '']) => {
    const orgId = await orgIdOf(sql, organization)
    const [session] = await sessions.list(orgId, { id })
    const by = { actor: operatorOf(orgId), action: 'session.revoke' } as const
    if (session && (await sessions.revoke(id, 'revoked', by))) return { revoked: id }
    throw new CommandRefused(
      'The organization has no active session with this ID: list the active ones with rollkey-server session-list.',
    )
  },
}
