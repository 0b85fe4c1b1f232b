/** Texts of the page of CLI sessions. */
export const labels = {
  title: 'CLI sessions',
  lead: 'Where the CLI is logged in to this organization.',
  everyone: 'Show everyone’s',
  client: 'Client',
  actions: 'Actions',
  person: 'Person',
  loggedIn: 'Logged in',
  lastUsed: 'Last used',
  expires: 'Expires',
  unnamed: 'Unnamed client',
  none: 'You have no CLI sessions',
  noneOfAnyone: 'No CLI sessions in this organization',
  noneNext: 'Log in from a terminal. The session appears here.',
  loginWhat: 'the command that logs in',
  revoke: {
    what: (client: string) => `session of ${client}`,
    textOwn: 'The CLI is logged out there now. Log in again to use it there.',
    text: (name: string) => `${name} is logged out there now and can log in again.`,
  },
} as const
