/** Texts of the ways to sign in. */
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
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    company: (label: string) => `Sign in with ${label}`,
    companyDown: (label: string) =>
      `${label} doesn’t answer at the moment. Sign in another way, or try again in a minute.`,
    or: 'or',
  },
  otherWays: {
    organizations: 'Open another organization',
    signOut: 'Sign out',
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
} as const
