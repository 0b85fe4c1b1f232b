/** Texts of the member pages. */
import type { Role } from '../../lib/roles.ts'
import type { SignInMethods } from '../../data/members.ts'

export const roleDescriptions: Readonly<Record<Role, string>> = {
  owner: 'Owners manage everything, including admins and the organization itself.',
  admin: 'Admins manage members, sessions, service tokens and settings.',
  member: 'Members work with projects and variables.',
}

export const labels = {
  title: 'Members',
  lead: (organization: string) => `People in ${organization} and pending invitations.`,
  external: 'Your identity provider manages people: anyone who can sign in there to this organization is a member.',
  name: 'Name',
  actions: 'Actions',
  actionsOf: (name: string) => `Actions for ${name}`,
  role: 'Role',
  joined: 'Joined',
  methods: 'Signs in with',
  methodsOf: ({ hasPassword, hasPasskey, hasSecondFactor, companies }: SignInMethods) =>
    [
      ...(hasPassword ? [hasSecondFactor ? 'Password and code' : 'Password'] : []),
      ...(hasPasskey ? ['Passkey'] : []),
      ...companies,
    ].join(', ') || 'Nothing yet',
  roleOf: (name: string) => `Role of ${name}`,
  changeRole: {
    title: (name: string, role: string) => `Change ${name}’s role to ${role}?`,
    button: 'Change role',
    done: (name: string, role: string) => `${name} is now ${role}`,
  },
  leave: {
    button: 'Leave',
    onlyOwner: 'Only owner',
    onlyOwnerHint: 'Make someone else an owner before you leave.',
    confirm: (organization: string) => `Leave ${organization}`,
    done: (organization: string) => `You left ${organization}`,
    title: (organization: string) => `Leave ${organization}?`,
    text: (organization: string) =>
      `You lose access to ${organization}, and your CLI sessions there end now. Only a new invitation brings you back.`,
  },
  remove: {
    button: 'Remove',
    confirm: (name: string) => `Remove ${name}`,
    title: (name: string) => `Remove ${name}?`,
    text: (name: string, email: string, organization: string) =>
      `${name} (${email}) loses access. Their browser and CLI sessions in ${organization} end now.`,
    done: (name: string) => `Removed ${name}`,
  },
  reset: {
    button: 'Reset password',
    title: (name: string) => `Reset ${name}’s password`,
    text: (name: string) =>
      `Create a link for ${name} to set a new password. The current password works until then. Afterwards ${name} is signed out everywhere.`,
    create: 'Create reset link',
    link: 'Reset link',
    linkUse: (name: string) =>
      `Give this link to ${name} only, over a channel you trust: anyone who opens it can set the password. It works once, for 1 hour.`,
  },
  invite: {
    button: 'Invite',
    title: (organization: string) => `Invite to ${organization}`,
    email: 'Email',
    emailUse: 'No email is sent. Share the link yourself.',
    create: 'Create invitation link',
    created: (email: string) => `Invited ${email}`,
    another: 'Invite another person',
    protectedStages: (project: string) => `Give access to a protected stage of ${project}`,
    link: 'Invitation link',
    linkUse: (email: string) =>
      `Give this link to ${email} only: anyone who opens it can join as them. It works once, for 48 hours.`,
  },
  invitations: {
    title: 'Pending invitations',
    none: 'No pending invitations',
    email: 'Email',
    expires: 'Expires',
    showLink: 'Show link',
    showLinkOf: (email: string) => `Show link for ${email}`,
    cancel: 'Cancel',
    cancelOf: (email: string) => `Cancel invitation of ${email}`,
    cancelTitle: (email: string) => `Cancel the invitation of ${email}?`,
    cancelText: 'The invitation link stops working.',
    cancelConfirm: 'Cancel invitation',
    keep: 'Keep it',
    canceled: (email: string) => `Canceled the invitation of ${email}`,
    linkTitle: (email: string) => `Invitation of ${email}`,
  },
  person: {
    groups: 'In the groups',
    changeHint: 'Open a place to change what is granted there.',
    open: (name: string) => `Access of ${name}`,
  },
} as const
