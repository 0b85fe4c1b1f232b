/** Texts of the pages about access. */
import type { Verb } from '@rollkey/contract/rules'
import { countText } from '../../lib/numbers.ts'

const anyOf = new Intl.ListFormat('en', { type: 'disjunction' })
const allOf = new Intl.ListFormat('en', { type: 'conjunction' })

/** What a person with the verb may do, in the words of docs/access.md. */
export const verbTexts: Readonly<Record<Verb, string>> = {
  list: 'See names, types and history, without values',
  read: 'Read values: evaluate, pull and reveal',
  write: 'Change variables, and create and rename stages',
  approve: 'Review proposed changes (people only)',
  manage: 'Manage access, service tokens and settings, and read the audit log (people only)',
}

/** Lists verbs for a sentence, such as "list and read". */
export function verbsText(verbs: readonly string[]): string {
  return verbs.length === 0 ? 'nothing' : allOf.format(verbs)
}

export const labels = {
  missing: {
    title: (what: string) => `You don’t have permission to ${what}`,
    text: (verb: Verb, place: string) => `It needs the verb ${verb} on ${place}.`,
    somewhere: 'the organization, a project or a stage',
    ask: (managers: readonly string[]) =>
      managers.length === 0
        ? 'Ask an owner or admin of the organization.'
        : `Ask ${anyOf.format(managers)}, who can grant it to you.`,
  },

  access: {
    title: 'Access',
    lead: (project: string) =>
      `Who may do what in ${project}: what is granted here stands out, what comes from elsewhere is quiet.`,
    manage: 'see who has access',
    table: 'Access by person and stage',
    filter: 'Filter by name or email',
    count: (shown: number, all: number) => `${countText(shown)} of ${countText(all)}`,
    who: 'Who',
    project: 'Whole project',
    kinds: { user: 'Person', group: 'Group', token: 'Service token', email: 'Invited' },
    members: (count: number) => (count === 1 ? '1 person' : `${countText(count)} people`),
    memberRoles: { owner: 'Owner', admin: 'Admin' } as Readonly<Record<string, string>>,
    none: 'No one has access yet',
    noneText: 'Grant access to a person, a group or a service token.',
    noMatch: 'No one matches the filter',
    clear: 'Clear filter',
    showAll: (count: number) => `Show all ${countText(count)}`,
    cell: (who: string, place: string, facts: string) => `${who} in ${place}: ${facts}`,
    nothing: 'No access',
    more: (verbs: readonly string[]) => `+ ${verbs.join(', ')}`,
    production: 'Production',
    stageMenu: (stage: string, isProtected: boolean) => `${stage}${isProtected ? ', protected' : ''}, actions`,
    holders: 'Who could read …',
    directFact: (role: string) => `granted ${role}`,
    inheritedFact: (verbs: string) => `may ${verbs}`,
  },

  source: {
    default: (role: string) => `${role}, the default role of every member`,
    owner: 'Owner of the organization',
    admin: 'Admin of the organization',
    token: (role: string) => `${role}, the role of the service token`,
    grant: (role: string, place: string) => `${role}, granted on ${place}`,
    group: (role: string, place: string, group: string) => `${role}, granted on ${place} to the group ${group}`,
    until: (time: string) => `until ${time}`,
    gives: (verbs: string) => `gives ${verbs}`,
    givesNothing: 'gives nothing here, because the stage is protected',
  },

  grant: {
    button: 'Grant access',
    title: 'Grant access',
    titleOf: (who: string) => `Access of ${who}`,
    who: 'Who',
    whoUse: 'A person, a group or a service token',
    whoMissing: 'Choose who gets access.',
    groups: { user: 'People', group: 'Groups', token: 'Service tokens' },
    noOne: 'No one found',
    byEmail: 'Someone who has not joined yet',
    byList: 'Someone in the organization',
    email: 'Email',
    emailUse: 'It becomes theirs when they join with an invitation.',
    userId: 'User ID',
    userIdUse: 'The id at your identity provider',
    byUserId: 'Someone by their user ID',
    personChoice: (name: string, address: string) => `${name} (${address})`,
    organization: 'Whole organization',
    project: (name: string) => `Whole project ${name}`,
    place: 'Where',
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
    applies: 'What applies',
    appliesNothing: 'Nothing gives access here.',
    effective: (verbs: string) => `May ${verbs}.`,
    isProtected: 'This stage is protected: it takes reading, writing and approving only from grants on itself.',
  },

  holders: {
    title: 'Who could read this stage',
    lead: 'From the present grants and the audit log since then, as far back as it has the details.',
    noStages: 'This project has no stages yet.',
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
  },

  protection: {
    title: (stage: string) => `Protect ${stage}?`,
    text: 'It then takes reading, writing and approving only from grants on the stage itself. To read values, people confirm that it is them, once for 15 minutes. Apps with a service token for it are not asked.',
    losing: 'Who loses what',
    losingNone: 'No one loses anything.',
    everyMember: 'Every member, by the default role',
    lost: (verbs: string) => `loses ${verbs}`,
    submit: (stage: string) => `Protect ${stage}`,
    done: (stage: string) => `${stage} is protected`,
    endTitle: (stage: string) => `End the protection of ${stage}?`,
    endText: (stage: string) =>
      `What is granted on the project and the organization, and the default role, then apply to ${stage} again. People read values there without a fresh confirmation.`,
    endSubmit: 'End protection',
    ended: (stage: string) => `${stage} is not protected anymore`,
  },
} as const
