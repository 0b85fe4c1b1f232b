/** Texts of the pages about access. */
import type { Verb } from '@rollkey/contract/rules'
import { countText } from '../../lib/numbers.ts'
import { list } from '../../lib/list.ts'

/** What a person with the verb may do, in the words of docs/access.md. */
export const verbTexts: Readonly<Record<Verb, string>> = {
  list: 'See names, types and history, without values',
  read: 'Read values: evaluate, pull and reveal',
  write: 'Change variables, and create and rename stages',
  approve: 'Review proposed changes (people only)',
  manage: 'Manage access, service tokens and settings, and read the audit log (people only)',
}

/** Stages where someone has a role. */
interface StageRole {
  readonly stages: readonly string[]
  readonly role: string
}

/** Names the stages of a cell, or the first of them if they are many. */
function stagesText(stages: readonly string[]): string {
  return list.format(stages.length <= 3 ? stages : [...stages.slice(0, 2), `${countText(stages.length - 2)} more`])
}

export const labels = {
  access: {
    title: 'Access',
    lead: (project: string) => `Who may do what in ${project}.`,
    organizationLead: 'Who may do what in the organization and its projects.',
    notHere: {
      project: 'Without “granted here”, the role comes from the organization, the project or a group.',
      organization: 'Without “granted here”, the role is the default role or comes from a group.',
    },
    manage: 'see who has access',
    where: {
      around: { project: 'in the whole project', organization: 'in the whole organization' },
      all: {
        stages: (count: number) => (count === 2 ? 'in both stages' : `in all ${countText(count)} stages`),
        projects: (count: number) => (count === 2 ? 'in both projects' : `in all ${countText(count)} projects`),
      },
      others: {
        stages: (count: number) => `in the ${countText(count)} other stages`,
        projects: (count: number) => `in the ${countText(count)} other projects`,
      },
      named: (names: readonly string[]) =>
        `in ${list.format(names.length <= 8 ? names : [...names.slice(0, 8), `${countText(names.length - 8)} more`])}`,
    },
    table: 'Access by person and place',
    filter: 'Filter by name or email',
    /** Nothing while all are shown. */
    count: (shown: number, all: number) => (shown === all ? '' : `${countText(shown)} of ${countText(all)}`),
    who: 'Who',
    project: 'Whole project',
    kinds: { user: 'Person', group: 'Group', token: 'Service token', trust: 'Trust', email: 'Has not joined' },
    members: (count: number) => (count === 1 ? '1 person' : `${countText(count)} people`),
    memberRoles: { owner: 'Owner', admin: 'Admin' } as Readonly<Record<string, string>>,
    none: 'No one has access yet',
    noneText: 'Grant access to a person, a group or a service token.',
    noMatch: 'No one matches the filter',
    clear: 'Clear filter',
    showMore: (count: number) => `Show ${countText(count)} more`,
    cell: (who: string, place: string) => `${who} in ${place}: `,
    grantedHere: (ends: string | undefined) => (ends === undefined ? 'granted here' : `granted here, ends ${ends}`),
    grantedToGroup: (group: string) => `granted to ${group}`,
    lessThan: (role: string) => `less than ${role}, as the stage is protected`,
    stageRole: ({ role, stages }: StageRole) => `${stagesText(stages)}: ${role}`,
    onlyIn: (roles: readonly StageRole[]) =>
      roles.map(({ role, stages }) => `${role} in ${stagesText(stages)}`).join(', '),
    production: 'Production',
    stageMenu: (stage: string, isProtected: boolean) => `${stage}${isProtected ? ', protected' : ''}, actions`,
    stages: 'Stages',
    holders: 'Who could read…',
  },

  source: {
    default: (role: string) => `${role}, the default role of every member`,
    owner: 'Owner of the organization',
    admin: 'Admin of the organization',
    token: (role: string) => `${role}, the role of the service token`,
    trust: (role: string) => `${role}, the role of the trust`,
    grant: (role: string, place: string) => `${role}, granted on ${place}`,
    group: (role: string, place: string, group: string) => `${role}, granted on ${place} to the group ${group}`,
    until: (time: string) => `until ${time}`,
    gives: (verbs: string) => `lets them ${verbs}`,
    givesNothing: 'has no effect here: the stage is protected',
  },

  grant: {
    button: 'Grant access',
    title: 'Grant access',
    who: 'Who',
    whoUse: 'A person, a group or a service token',
    whoMissing: 'Choose who gets access.',
    groups: { user: 'People', group: 'Groups', token: 'Service tokens' },
    noOne: 'No one found',
    byEmail: 'Someone who has not joined yet',
    byList: 'Someone in the organization',
    email: 'Email',
    emailUse: 'They get this access when they accept the invitation.',
    userId: 'User ID',
    userIdUse: 'The id at your identity provider',
    byUserId: 'Someone by their user ID',
    personChoice: (name: string, address: string) => `${name} (${address})`,
    project: (name: string) => `Whole project ${name}`,
    place: 'Where',
    placeUse: 'Grant access to a single stage on the page Access of its project.',
    stagesUse: 'Grant access to a single stage on the page',
    stagesPage: (project: string) => `Access of ${project}`,
    role: 'Role',
    rolePlaceholder: 'Choose…',
    roleMissing: 'Choose a role.',
    until: 'Until',
    untilUse: 'Leave it empty for access without an end.',
    untilPast: 'Choose a later time.',
    save: 'Save',
    submit: 'Grant',
    saved: (who: string, role: string, place: string) => `${who} is ${role} on ${place}`,
    revoke: 'Revoke',
    revoked: (who: string, place: string) => `Revoked the access of ${who} on ${place}`,
    explanation: 'What they may do now',
    appliesNothing: 'They have no access here.',
    withRole: (verbs: string) => `With this role, they may ${verbs} here.`,
    effective: (verbs: string) => `They may ${verbs}.`,
    needsApproval: (approvals: number) =>
      `Changes are proposed first here, and need ${approvals === 1 ? '1 approval' : `${countText(approvals)} approvals`} by others.`,
    effectiveIn: (stage: string, verbs: string | undefined, isLess: boolean) => {
      const may = verbs === undefined ? 'they have no access' : `they may ${verbs}`
      return isLess ? `${stage} is protected: there, ${may}.` : `In ${stage}, ${may}.`
    },
    addsNothing: (verbs: string) => `This adds nothing: they may already ${verbs} here.`,
    isProtected: 'This stage is protected: only a role on the stage itself lets people read, change or approve here.',
  },

  explain: {
    button: 'Explain',
    title: 'Explain access',
    whoUse: 'Person, group or token',
  },

  groups: {
    title: 'Groups',
    lead: 'Everyone in a group gets its access.',
    see: 'see the groups',
    create: 'New group',
    submit: 'Create group',
    name: 'Name',
    nameUse: 'What the people have in common, for example: On call',
    nameMissing: 'Enter a name.',
    created: (name: string) => `Created ${name}`,
    members: 'Members',
    who: 'People',
    andMore: (names: string, more: number) => `${names} and ${countText(more)} more`,
    createdAt: 'Created',
    none: 'No groups yet',
    noneText: 'Create one for people who need the same access. Then grant it once, to the group.',
    command: 'the command that creates a group',
    commandText: 'rollkey group create "On call"',
    noMembers: 'No one is in this group yet.',
    reported: (idpGroup: string) =>
      `The identity provider reports who is in its group ${idpGroup}. Add and remove people there.`,
    add: 'Add',
    addLabel: 'Add someone',
    addHint: 'Members get the access of the group.',
    added: (who: string, group: string) => `Added ${who} to ${group}`,
    removeOf: (who: string) => `Remove ${who}`,
    removed: (who: string, group: string) => `Removed ${who} from ${group}`,
    grants: 'Access',
    noGrants: 'Nothing is granted to this group yet.',
    grantAccess: 'Grant access',
    rename: 'Rename',
    renamed: (before: string, name: string) => `Renamed ${before} to ${name}`,
    delete: 'Delete group…',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Its members lose the access of the group.',
    deleteConfirm: (name: string) => `Delete ${name}`,
    deleted: (name: string) => `Deleted ${name}`,
  },

  providerGroup: {
    title: 'Group of the identity provider',
    label: 'Name or id at the identity provider',
    newUse: 'People in that group become members here. Leave it empty to choose the members yourself.',
    naming: (provider: string) => `Begin with the name of the provider, like ${provider}:ops.`,
    use: 'People in that group become members here at their next sign-in.',
    connect: 'Connect…',
    question: (group: string, idpGroup: string) => `Connect ${group} with ${idpGroup}?`,
    text: (members: number) =>
      members === 0
        ? 'People in that group join with their next sign-in.'
        : `The present members (${countText(members)}) leave the group. People in that group join with their next sign-in.`,
    submit: (group: string) => `Connect ${group}`,
    connected: (group: string, idpGroup: string) => `Connected ${group} with ${idpGroup}`,
    isConnected: (idpGroup: string) => `Connected with ${idpGroup} of the identity provider.`,
    disconnect: 'Disconnect',
    disconnected: (group: string) => `Disconnected ${group}: choose its members here`,
  },

  roles: {
    title: 'Roles',
    lead: 'A role says what people may do in the organization, a project or a stage.',
    create: 'New role',
    submit: 'Create role',
    save: 'Save',
    change: (name: string) => `Role ${name}`,
    changeText: 'Everyone with this role gets the change at their next request.',
    name: 'Name',
    nameUse: 'Lower-case letters, digits and dashes, for example: auditor',
    nameWrong: 'Enter 1 to 63 lower-case letters, digits or dashes, starting with a letter.',
    builtIn: 'Built-in',
    verbs: 'Allows',
    allows: 'allowed',
    allowsNot: 'not allowed',
    created: (name: string) => `Created the role ${name}`,
    changed: (name: string) => `Changed the role ${name}`,
    asBefore: (name: string) => `The role ${name} is as before`,
    delete: 'Delete role…',
    deleteTitle: (name: string) => `Delete the role ${name}?`,
    deleteText: 'You can delete a role only if no one has it.',
    deleteConfirm: (name: string) => `Delete ${name}`,
    deleted: (name: string) => `Deleted the role ${name}`,
  },

  session: {
    title: 'Confirm your CLI session',
    text: 'The CLI wants to read values of a protected stage. If you confirm, this session can read them for 15 minutes.',
    client: 'Client (self-reported name)',
    unnamed: 'Unnamed client',
    loggedIn: 'Logged in',
    lastUsed: 'Last used',
    warning: 'Confirm only if you have just run the command on this device yourself.',
    submit: 'Confirm session',
    done: 'Confirmed for 15 minutes. You can close this tab. Your terminal continues, or run the command again.',
    none: 'You have no such CLI session',
    noneText: 'The session has ended or belongs to someone else. Log in again in your terminal.',
    seeSessions: 'See your CLI sessions',
  },

  holders: {
    title: 'Who could read this stage',
    lead: 'Calculated from the present grants and the audit log, as far back as its details go.',
    noStages: 'This project has no stages yet.',
    choose: 'Choose a stage',
    stage: 'Stage',
    verb: 'Could',
    verbs: {
      list: 'list it',
      read: 'read its values',
      write: 'change it',
      approve: 'approve changes',
      manage: 'manage it',
    },
    at: 'At',
    time: (time: string) => `At ${time}:`,
    isProtected: 'The stage was protected',
    members: 'Every member of the organization could, by the default role.',
    none: 'No one could',
    grantedOn: 'Granted on',
    via: 'Through group',
    command: 'the command that shows the same',
    commandText: (projectSlug: string, stageSlug: string, verb: Verb, atMs: number | undefined) =>
      [
        `rollkey access holders ${projectSlug}/${stageSlug}`,
        ...(verb === 'read' ? [] : [`--verb ${verb}`]),
        ...(atMs === undefined ? [] : [`--at ${new Date(atMs).toISOString()}`]),
      ].join(' '),
  },
} as const
