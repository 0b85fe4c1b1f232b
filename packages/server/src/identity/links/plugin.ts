/**
 * Links that people hand to each other, since no mail is sent: the first account's, an invitation's, a new password's.
 * What they carry stands in the fragment of a page's address, which no server sees, and comes here in a body. A plug-in
 * of better-auth, so that its origin check and cookies hold here too.
 */
import type { BetterAuthPlugin } from 'better-auth'
import type { ClientSessions } from '../client-sessions.ts'
import type { Directory } from '../directory.ts'
import { inviteLink, rejectSigned, showInvitation, signUpByInvitation } from './invitations.ts'
import { resetLink, resetPassword, showReset } from './passwords.ts'
import { setup } from './setup.ts'

export function links(directory: Directory, publicUrl: string, clientSessions: ClientSessions) {
  return {
    id: 'links',
    endpoints: {
      setup: setup(directory),
      inviteLink: inviteLink(directory, publicUrl),
      showInvitation: showInvitation(directory),
      signUpByInvitation: signUpByInvitation(directory),
      resetLink: resetLink(directory, publicUrl),
      showReset: showReset(directory, clientSessions),
      // In place of the library's own.
      resetPassword: resetPassword(directory, clientSessions),
    },
    hooks: { before: [rejectSigned] },
  } satisfies BetterAuthPlugin
}
