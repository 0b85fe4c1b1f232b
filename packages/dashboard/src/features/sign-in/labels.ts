/** Texts of the pages for people who are not signed in. */

const allOf = new Intl.ListFormat('en', { type: 'conjunction' })

const passwordReset = 'Forgot your password? Ask an owner or admin of your organization for a reset link.'

export const labels = {
  fields: {
    name: 'Your name',
    nameMissing: 'Enter your name.',
    email: 'Email',
    password: 'Password',
    passwordMissing: 'Enter your password.',
    code: 'Code',
    codeUse: 'The 6 digits that your authenticator app shows now',
    codeMissing: 'Enter the code.',
    recoveryCode: 'Recovery code',
    recoveryCodeUse: 'One of the codes that you saved when you set up the app',
    byRecoveryCode: 'Use a recovery code',
    byApp: 'Use the app',
    otherAccount: 'Start again',
    organizationMissing: 'Enter a name.',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    company: (label: string) => `Sign in with ${label}`,
    companyDown: (label: string) =>
      `${label} doesn’t answer at the moment. Sign in another way, or try again in a minute.`,
    or: 'or',
    byInvitation: `No account yet? Ask an owner or admin for an invitation link. ${passwordReset}`,
    noAccount: 'No account yet?',
    createOne: 'Create one',
    passwordReset,
    external: 'Sign in with your organization’s identity provider.',
    externalSubmit: 'Continue with your identity provider',
    externalMissingTitle: 'Sign-in isn’t set up',
    externalMissing:
      'The operator must register this application at the identity provider and set ROLLKEY_IDP_CLIENT_ID. If that is done, the provider publishes no sign-in address.',
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
  company: {
    title: (label: string) => `The sign-in with ${label} didn’t finish`,
    unavailable: 'The provider doesn’t answer. Sign in another way, or try again in a minute.',
    trouble: 'Rollkey can’t answer at the moment. Try again in a minute.',
    denied: 'The provider refused, or the sign-in was canceled there. Try again, or sign in another way.',
    refused:
      'The provider’s answer can’t be accepted. Try again; if it happens again, ask the operator to check the settings of this provider.',
    lost: 'The sign-in took longer than ten minutes, or was started in another browser or tab. Start again.',
    notAdmitted:
      'This account isn’t connected with an account here, and may not join by itself. Use your account of the organization, or ask an owner or admin for an invitation link.',
    noAddress:
      'The provider reports no verified email address. Verify your address there, or ask an owner or admin for an invitation link.',
    accountExists:
      'An account with your email address exists here already, and an address doesn’t prove that it is yours. Sign in the way you did before, then connect this provider under Account.',
    inUse: 'This account at the provider belongs to another account here. Sign in with it, or use another one.',
    notAsked:
      'The provider doesn’t say when it asked for your password, so it can’t confirm that it is you. Confirm with your passkey or your password. If you have neither, ask an owner or admin for a password link.',
    left: (label: string) => ({
      title: 'You didn’t join again',
      text: `You are signed in with ${label}, but you left the organization or were removed from it. Ask an owner or admin for an invitation link.`,
    }),
    full: (label: string) => ({
      title: 'The organization is full',
      text: `You are signed in with ${label}, but the organization has as many members as it can have. Ask an owner or admin to remove one, then sign in again.`,
    }),
    firstPasskey: (label: string) => ({
      title: 'Add a passkey',
      text: `${label} doesn’t say when it asked for your password, so it can’t confirm that it is you. Add a passkey below within 15 minutes. Then repeat what you did, and confirm with the passkey.`,
    }),
    otherPerson: 'You signed in as someone else. Use the account that is connected with yours here.',
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
      `Signing in with ${allOf.format(names)} will be disconnected. If it is your account there, connect it again on the account page.`,
    companiesDone: (names: readonly string[]) =>
      `Signing in with ${allOf.format(names)} is disconnected. If it is your account there, connect it again on the account page.`,
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
    others: 'Open another organization',
    signOut: 'Sign out',
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
    isDone: 'Already set up?',
  },
} as const
