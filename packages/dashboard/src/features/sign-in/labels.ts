/** Texts of the pages for people who are not signed in. */
import { list } from '../../lib/list.ts'

export const labels = {
  signIn: {
    title: 'Sign in',
    byInvitation: 'No account yet? Ask an owner or admin for an invitation link.',
    noAccount: 'No account yet?',
    createOne: 'Create one',
    passwordReset: 'Forgot your password? Ask an owner or admin for a reset link.',
    operatorReset: 'Operators make one with',
    resetCommand: 'npx @rollkey/server reset-link EMAIL',
    external: 'Sign in with your organization’s identity provider.',
    externalSubmit: 'Continue with your identity provider',
    externalMissingTitle: 'Sign-in isn’t set up',
    externalMissing:
      'The operator must register this application at the identity provider and set ROLLKEY_IDP_CLIENT_ID. If that is done, the provider publishes no sign-in address.',
  },
  forgotten: {
    open: 'Forgot your password?',
    submit: 'Send a link',
    sent: 'If this address has an account with a password, a link is on its way. It works for one hour.',
  },
  signUp: {
    title: 'Create an account',
    submit: 'Create account',
    external: 'Accounts are created at this service’s identity provider.',
    byInvitation: 'Accounts are created by invitation. Ask an owner or admin of your organization for a link.',
    goToSignIn: 'Go to sign-in',
    hasAccount: 'Already have an account?',
    signIn: 'Sign in',
  },
  handedOver: {
    title: 'You signed in again',
    text: 'Close this window. The other one continues by itself.',
  },
  callback: {
    title: 'The sign-in didn’t finish',
    again: 'Sign in again',
    provider: 'Open the identity provider',
  },
  linkProblem: 'Do you have an account already?',
  invitation: {
    title: 'Invitation',
    external: 'This service’s identity provider manages invitations. Ask there.',
    incompleteTitle: 'The link is incomplete',
    incomplete: 'Open the whole link you were given. If it still doesn’t work, ask for a new one.',
    join: (organization: string) => `Join ${organization}`,
    invitedBy: (inviter: string, organization: string, role: string) =>
      inviter === ''
        ? `You are invited to join ${organization} as ${role}.`
        : `${inviter} invited you to join ${organization} as ${role}.`,
    hasAccount: 'You already have an account. Sign in to accept the invitation.',
    otherAccount: (invited: string, signedIn: string) =>
      `This invitation is for ${invited}, but you are signed in as ${signedIn}. Sign out to continue as ${invited}.`,
    signOut: 'Sign out',
    createAccount: 'Create your account to accept the invitation.',
    createAndJoin: 'Create account and join',
    decide: 'Accept to become a member. You can leave the organization at any time.',
    accept: 'Accept invitation',
    decline: 'Decline',
    declined: 'You declined the invitation.',
    goHome: 'Go to the dashboard',
    goToSignIn: 'Go to sign-in',
  },
  reset: {
    title: 'Set a new password',
    submit: 'Set password',
    lead: (email: string) => `For ${email}. You will be signed out of all browsers.`,
    password: 'New password',
    done: 'Your new password is set. You are signed out of all browsers.',
    companies: (names: readonly string[]) =>
      `Signing in with ${list.format(names)} will be disconnected. If it is your account there, connect it again on the account page.`,
    companiesDone: (names: readonly string[]) =>
      `Signing in with ${list.format(names)} is disconnected. If it is your account there, connect it again on the account page.`,
    goToSignIn: 'Go to sign-in',
    incompleteTitle: 'The link is incomplete',
    incomplete: 'Open the whole link you were given. For a new one, ask an owner or admin of your organization.',
    passkeys: 'Passkeys to keep',
    passkeysUse: 'A passkey signs in without the password. Keep only yours; the others are removed.',
    unnamedPasskey: 'Unnamed passkey',
    added: (day: string) => `Added ${day}`,
    endSessions: 'Log out all CLI sessions',
    endSessionsUse: (count: number) =>
      count === 1
        ? '1 session. Clear this only if you know it is yours.'
        : `${count} sessions. Clear this only if you know all of them are yours.`,
  },
  companyRequired: {
    title: (organization: string) => `Sign in at your company to open ${organization}`,
    lead: 'This organization admits only people who signed in at their company. You signed in with a password or passkey.',
    connect: (label: string) => `Connect ${label}`,
    connectFirst:
      'Connect your account at the company first. Then sign in there; you keep your account and your access.',
  },
  setup: {
    title: 'Set up Rollkey',
    lead: 'Create your account and your organization. You will be its owner.',
    submit: 'Create account and organization',
    missingTitle: 'The setup link is missing',
    missing: 'Open the whole link that Rollkey printed in the terminal when it started.',
    newLink: 'For a new link, restart Rollkey, or run this on its machine:',
    command: 'npx @rollkey/server setup-link',
    withoutNpm: 'or, without npm:',
    commandWithoutNpm: 'rollkey-server setup-link',
    overTitle: 'This setup link was used or has expired',
    doneTitle: 'This Rollkey is set up',
    doneText:
      'The setup link works once, and someone has used it. Ask an owner or admin for an invitation if it was not you.',
    isDone: 'Already set up?',
  },
} as const
