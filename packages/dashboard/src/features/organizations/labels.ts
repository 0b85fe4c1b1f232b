/** Texts of the pages on which people choose an organization. */
export const labels = {
  title: 'Organizations',
  choose: 'Choose an organization or create one.',
  none: 'You aren’t in an organization yet. Open your invitation link, or create an organization.',
  external:
    'Your identity provider decides which organization you act in. To change it, switch there, then sign in here again.',
  active: 'Active',
  createTitle: 'Create an organization',
  create: 'Create organization',
  created: (name: string) => `Created ${name}`,
  nameMissing: 'Enter a name.',
  goHome: 'Go to the dashboard',
  notAMember: {
    title: (organization: string) => `You are not a member of “${organization}”`,
    text: (email: string) =>
      `You are signed in as ${email}. Choose one of your organizations, ask for an invitation to this one, or sign in with another account.`,
    choose: 'Choose an organization',
    signOut: 'Sign in with another account',
  },
  otherSignIn: {
    title: (organization: string) => `You are signed in to ${organization}`,
    text: (organization: string) =>
      `This page belongs to ${organization}. Switch to it at your identity provider, then sign in here again.`,
    signIn: 'Sign in again',
    goTo: (organization: string) => `Go to ${organization}`,
  },
} as const
