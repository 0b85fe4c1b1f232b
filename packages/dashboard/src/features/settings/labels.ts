/** Texts of the general settings of an organization. */
export const labels = {
  title: 'Settings',
  lead: 'Name, default role and limits of the organization.',

  general: {
    title: 'General',
    name: 'Name',
    nameMissing: 'Enter a name.',
    nameUse: 'Display name. The slug doesn’t change.',
    submit: 'Save name',
    done: (before: string, name: string) => `Renamed ${before} to ${name}`,
    slug: 'Slug',
    slugUse: 'Used in URLs, the CLI and apps. You can’t change it later.',
    external: 'The name and slug come from your identity provider. Change them there.',
    onlyManagers: 'Owners and admins can change the settings.',
  },

  creation: {
    title: 'New projects and stages',
    switch: 'Auto-create projects and stages on first write',
    on: 'Setting a variable, for example with the CLI (rollkey set --create), also creates a missing project or stage.',
    off: 'Setting a variable in a project or stage that doesn’t exist is refused, so a mistyped name creates nothing. Create them on the page Projects.',
    done: (isOn: boolean) => (isOn ? 'Auto-create is on' : 'Auto-create is off'),
  },

  plan: {
    title: 'Plan',
    /** Of an installation that limits nothing. */
    limitsTitle: 'Limits',
    usage: 'View usage',
    name: 'Current plan',
    names: { free: 'Free' },
    evaluations: 'Evaluations per month',
    storage: 'Storage',
    unlimited: 'No limit',
  },

  deletion: {
    title: 'Delete organization',
    text: 'Projects, variables, history and service tokens are deleted for good, and apps that read them get errors. Members keep their accounts.',
    kept: 'The operator of the service keeps usage and the audit log.',
    button: 'Delete organization…',
    question: (name: string) => `Delete ${name}?`,
    confirm: (name: string) => `Delete ${name}`,
    done: (name: string) => `Deleted ${name}`,
  },
  defaultRole: {
    title: 'Default role',
    label: 'What every member may do',
    names: { developer: 'developer', viewer: 'viewer', none: 'none' },
    kept: 'Existing grants stay. Owners and admins can always manage the organization. Takes effect with the next request.',
    question: (role: string) => `Change the default role to ${role}?`,
    lost: (verbs: string) => `Every member without a grant loses ${verbs}.`,
    youToo: 'If you lose the values too, you can grant yourself a role afterwards.',
    submit: 'Change default role',
    done: (role: string) => `The default role is ${role}`,
  },
} as const
