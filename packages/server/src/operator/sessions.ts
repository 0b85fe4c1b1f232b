/** The commands that manage sessions of command-line clients, for operators without access to the web application. */
import { operatorActorOf } from '../storage/actor.ts'
import { CommandError } from './command-error.ts'
import { option, orgIdOf, storeCommand } from './command.ts'

export const sessionList = storeCommand<{ org: string }>({
  name: 'session list',
  summary: 'List the active command-line sessions of an organization',
  required: [option.org],
  examples: [['session list --org acme', 'person, client, last use and expiry of each session']],
  runOnStore: async ({ sql, sessions }, { org }) => ({ sessions: await sessions.list(await orgIdOf(sql, org)) }),
})

export const sessionRevoke = storeCommand<{ id: string; org: string }>({
  name: 'session revoke',
  args: [['<ID>', 'ID of the session, which `session list` shows']],
  summary: 'Revoke a command-line session at once',
  required: [option.org],
  examples: [['session revoke ses_1a2b --org acme', 'the client must log in again']],
  async runOnStore({ sql, sessions }, { id, org }) {
    const orgId = await orgIdOf(sql, org)
    const [session] = await sessions.list(orgId, { id })
    const event = { action: 'session.revoke', facts: { sessionId: id } } as const
    const by = { actor: operatorActorOf(orgId), event }
    if (session && (await sessions.revoke(id, 'revoked', by))) return { revoked: id }
    throw new CommandError('NOT_FOUND', 'The organization has no active session with this ID', 'session list --org ORG')
  },
})
