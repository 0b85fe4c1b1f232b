/**
 * A better-auth plug-in for links that people hand to each other, or that are mailed: for the first account, an
 * invitation or a new password. The token of a link is in the fragment of its URL, which no server sees, and arrives here in a
 * request body. As a plug-in, the endpoints get the library's origin check and cookies.
 */
import type { BetterAuthPlugin } from 'better-auth'
import type { AccountMails } from '../account-mails.ts'
import type { ClientSessions } from '../client-sessions.ts'
import type { EntryRules } from '../entry-rules.ts'
import type { CompanySignIn } from '../company/sign-in.ts'
import type { Directory } from '../directory.ts'
import { forgotten } from './forgotten.ts'
import { inviteLink, rejectSigned, showInvitation, signUpByInvitation } from './invitations.ts'
import { resetLink, resetPassword, showReset } from './passwords.ts'
import { setup } from './setup.ts'

interface LinksParts {
  readonly directory: Directory
  readonly publicUrl: string
  readonly clientSessions: ClientSessions
  readonly companySignIn: CompanySignIn
  readonly entryRules: EntryRules
  readonly mails: AccountMails | undefined
}

export function links({ directory, publicUrl, clientSessions, companySignIn, entryRules, mails }: LinksParts) {
  return {
    id: 'links',
    endpoints: {
      setup: setup(directory),
      inviteLink: inviteLink(directory, publicUrl),
      showInvitation: showInvitation(directory),
      signUpByInvitation: signUpByInvitation(directory),
      resetLink: resetLink(directory, publicUrl, entryRules),
      showReset: showReset(directory, clientSessions, (issuer) => companySignIn.labelOf(issuer)),
      forgotten: forgotten(mails),
      // Replaces the library's own endpoint.
      resetPassword: resetPassword(directory, clientSessions, entryRules),
    },
    hooks: { before: [rejectSigned] },
  } satisfies BetterAuthPlugin
}
