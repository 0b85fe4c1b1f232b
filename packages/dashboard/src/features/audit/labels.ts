/** Texts of the audit log. */
import type { AuditAction } from '@rollkey/contract'
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'
import { absoluteTime } from '../../lib/time.ts'
import { placeName } from '../projects/labels.ts'
import type { AuditEntry } from './audit-search.ts'

/** What was done, to what, and where: "created", "DATABASE_URL", "in shop/prod". It follows who did it. */
type Phrase = readonly [did: string, what?: string, where?: string]

type PersonName = (userId: string) => string

const phrases: Readonly<Record<AuditAction, (entry: AuditEntry, personName: PersonName) => Phrase>> = {
  'variable.create': (entry) => ['added', variablesOf(entry), within(entry)],
  'variable.update': (entry) => [`changed${partsOf(entry)}`, variablesOf(entry), within(entry)],
  'variable.delete': (entry) => ['deleted', variablesOf(entry), within(entry)],
  'variable.expose': exposurePhrase,
  write: (entry) => ['changed', variablesOf(entry), within(entry)],
  chance: (entry) => ['set the chance of', variablesOf(entry), `${chancesOf(entry)}${within(entry)}`],
  copy: (entry) => ['copied', variablesOf(entry), `to ${placeName(entry)}`],
  restore: (entry) => ['restored', variablesOf(entry), `${within(entry)}${restoredRevision(entry)}`],
  'change.propose': (entry) => [
    `${lastOf(entry) === 'planned' ? 'planned' : 'proposed'} a change of`,
    variablesOf(entry),
    within(entry),
  ],
  'change.edit': (entry) => {
    const isRebase = lastOf(entry) === 'rebased'
    return [
      `${isRebase ? 'based' : 'edited'} a change of`,
      variablesOf(entry),
      isRebase ? `on the present state of ${placeName(entry)}` : within(entry),
    ]
  },
  'change.reschedule': (entry) => ['rescheduled a change of', variablesOf(entry), within(entry)],
  'change.approve': (entry) => ['approved a change of', variablesOf(entry), within(entry)],
  'change.reject': (entry) => ['rejected a change of', variablesOf(entry), within(entry)],
  'change.apply': (entry) => [
    bypassReason(entry) === undefined ? 'applied a change of' : 'bypassed approval or a freeze to apply a change of',
    variablesOf(entry),
    within(entry),
  ],
  'change.withdraw': (entry) => ['withdrew a change of', variablesOf(entry), within(entry)],
  'change.step': (entry) => ['wrote a step of the rollout of', variablesOf(entry), within(entry)],
  'change.skip': (entry) => ['skipped a step of the rollout of', variablesOf(entry), within(entry)],
  'change.pause': (entry) => ['paused the rollout of', variablesOf(entry), within(entry)],
  'change.resume': (entry) => ['resumed the rollout of', variablesOf(entry), within(entry)],
  'change.abort': (entry) => ['aborted the rollout of', variablesOf(entry), within(entry)],
  'change.fail': (entry) => ['could not apply the planned change of', variablesOf(entry), within(entry)],
  reveal: (entry) => [
    entry.subject === 'pins' ? 'revealed the pins of' : 'revealed',
    variablesOf(entry),
    within(entry),
  ],
  'token.create': (entry, personName) => ['created', tokenOf(entry, personName), `for ${placeName(entry)}`],
  'token.rotate': (entry, personName) => ['replaced the secret of', tokenOf(entry, personName)],
  'token.revoke': (entry, personName) => ['revoked', tokenOf(entry, personName)],
  'trust.create': (entry) => ['created', trustOf(entry), `for ${placeName(entry)}`],
  'trust.update': (entry) => ['changed', trustOf(entry), formerTrustName(entry)],
  'trust.delete': (entry) => ['deleted', trustOf(entry)],
  'trust.exchange': () => ['exchanged a token'],
  'client-key.create': (entry) => ['created', clientKeyOf(newKeyName(entry)), `for ${placeName(entry)}`],
  'client-key.revoke': (entry) => ['revoked', clientKeyOf(nameOf(entry))],
  'device.approve': () => ['approved a CLI login'],
  'device.deny': () => ['denied a CLI login'],
  'device.exchange': () => ['logged in with the CLI'],
  'session.refresh': () => ['renewed a CLI session'],
  'session.revoke': ({ how }) => [how === 'system' ? 'had a CLI session ended by the service' : 'ended a CLI session'],
  'session.confirm': () => ['confirmed a CLI session'],
  logout: () => ['logged out of the CLI'],
  setup: () => ['made an owner of the organization, with a session'],
  'project.create': (entry) => ['created the project', placeName(entry)],
  'project.update': (entry) => [`${changeOf(entry)} the project`, placeName(entry), newName(entry)],
  'project.delete': (entry) => ['deleted the project', placeName(entry)],
  'stage.create': (entry) => ['created the stage', placeName(entry)],
  'stage.update': (entry) => [`${changeOf(entry)} the stage`, placeName(entry), newName(entry)],
  'stage.protect': (entry) => [
    lastOf(entry) === 'true' ? 'protected the stage' : 'ended the protection of the stage',
    placeName(entry),
  ],
  'stage.rules': (entry) => ['changed approvals and freezes of', placeName(entry)],
  'stage.delete': (entry) => ['deleted the stage', placeName(entry)],
  'stage.order': (entry) => ['changed the order of the stages of', placeName(entry)],
  'organization.create': () => ['created the organization'],
  'organization.update': settingPhrase,
  'organization.delete': () => ['deleted the organization'],
  export: () => ['exported all values of the organization'],
  'access.grant': (entry, personName) => [
    'made',
    grantedTo(entry, personName),
    `${roleOfGrant(lastOf(entry))} ${grantPlace(entry)}${formerRole(entry)}`,
  ],
  'access.revoke': (entry, personName) => [
    'revoked the access of',
    principalName(firstOf(entry), personName),
    `${grantPlace(entry)}${formerRole(entry)}`,
  ],
  'group.create': (entry) => ['created the group', afterFirst(entry)],
  'group.update': (entry) => ['renamed a group to', afterFirst(entry)],
  'group.delete': (entry) => ['deleted the group', afterFirst(entry)],
  'group.join': (entry, personName) => [
    'added',
    principalName(afterFirst(entry), personName),
    `to ${groupOf(entry, personName)}`,
  ],
  'group.leave': (entry, personName) => [
    'removed',
    principalName(afterFirst(entry), personName),
    `from ${groupOf(entry, personName)}`,
  ],
  'role.set': (entry) => [
    'set what the role',
    firstOf(entry),
    `allows: ${lastOf(entry).replaceAll(',', ', ')}${formerVerbs(entry)}`,
  ],
  'role.delete': (entry) => ['deleted the role', firstOf(entry)],
  'member.add': (entry, personName) =>
    entry.actor === firstOf(entry)
      ? ['joined', '', asRole(entry)]
      : ['added', personName(firstOf(entry)), asRole(entry)],
  'member.role': (entry, personName) => [
    'made',
    entry.actor === firstOf(entry) ? 'themselves' : personName(firstOf(entry)),
    withArticle(roleOf(entry)),
  ],
  'member.remove': (entry, personName) => ['removed', personName(firstOf(entry)), 'from the organization'],
  'invitation.create': (entry) => ['invited', firstOf(entry), asRole(entry)],
  'invitation.accept': () => ['accepted an invitation'],
  'invitation.reject': () => ['declined an invitation'],
  'invitation.cancel': (entry) => ['withdrew the invitation of', firstOf(entry)],
  'sign-in': ({ subject = '' }) => ['signed in', '', `with ${signInMethods[subject] ?? subject}`],
  'sign-in.failed': ({ nameCount = 1, subject }) => [
    subject === 'code' ? 'entered a wrong code' : 'entered a wrong password',
    '',
    timesText(nameCount),
  ],
  'sign-out': () => ['signed out'],
  'password.change': () => ['changed their password'],
  'password.reset': () => ['set a new password by a link'],
  'password.link': ({ subject = '' }, personName) => ['created a password link for', personName(subject)],
  'passkey.add': () => ['added a passkey'],
  'passkey.remove': () => ['removed a passkey'],
  'second-factor.add': () => ['added a second factor to their password'],
  'second-factor.codes': () => ['created new recovery codes'],
  'second-factor.remove': () => ['removed the second factor of a password'],
  'sign-in-method.add': ({ subject = '' }) => ['added the sign-in with', subject],
  'sign-in-method.remove': ({ subject = '' }) => ['removed the sign-in with', subject],
  'signing-keys.revoke': () => ['revoked the keys that sign tokens'],
  refusal: refusalPhrase,
  'key.rotate': (entry) => ['changed the data keys', '', `of ${placeName(entry)}`],
  'key.rewrap': () => ['re-wrapped the data keys'],
  'backup.restore': ({ subject = '' }) => ['restored everything from the backup of', subject],
}

/** Methods of a sign-in, after "signed in with". */
const signInMethods: Readonly<Partial<Record<string, string>>> = {
  password: 'a password',
  passkey: 'a passkey',
  'password and code': 'a password and a code',
  'password and recovery code': 'a password and a recovery code',
  'new account': 'a new account',
  'invitation link': 'an invitation link',
  'set-up link': 'the set-up link',
}

/** Returns the verb for a project or stage. */
function changeOf(entry: AuditEntry): string {
  switch (firstOf(entry)) {
    case 'archived':
      return 'archived'
    case 'restored':
      return 'restored from the archive'
    case 'name':
      return 'renamed'
    case 'isProduction':
      return lastOf(entry) === 'true' ? 'marked as production' : 'removed the production mark of'
    default:
      return 'changed'
  }
}

/** Returns what follows a thing that was renamed. */
function newName(entry: AuditEntry): string {
  return firstOf(entry) === 'name' ? `to ${afterFirst(entry)}` : ''
}

/** Names the excepted people of a subject such as "companySignIn any only,except:ID,ID". */
function companyOnlyPhrase(entry: AuditEntry, personName: PersonName): string {
  const [, ids = ''] = lastOf(entry).split(':')
  const names = ids.split(',').map((id) => personName(id))
  return `required sign-in at the company, except for ${names.join(', ')}`
}

/** Describes a subject such as "name Acme" or "defaultRole developer viewer". Older entries have none. */
function settingPhrase(entry: AuditEntry, personName: PersonName): Phrase {
  switch (firstOf(entry)) {
    case 'name':
      return ['renamed the organization to', afterFirst(entry)]
    case 'createsOnWrite':
      return [
        lastOf(entry) === 'true'
          ? 'let writes create projects and stages'
          : 'stopped writes from creating projects and stages',
      ]
    case 'companySignIn':
      return [lastOf(entry) === 'any' ? 'allowed every way to sign in' : companyOnlyPhrase(entry, personName)]
    case 'defaultRole':
      return ['changed the default role', '', `from ${roleOf(entry)} to ${lastOf(entry)}`]
    default:
      return ['changed the settings of the organization']
  }
}

/** Names both chances of a subject such as "0.2 0.5". Older entries have none. */
function chancesOf(entry: AuditEntry): string {
  if (entry.subject === undefined) return ''
  return `from ${unbroken(percentText(Number(firstOf(entry))))} to ${unbroken(percentText(Number(lastOf(entry))))} `
}

/** Returns the revision whose state a restore brought back. Older entries have none. */
function restoredRevision({ subject }: AuditEntry): string {
  return subject === undefined ? '' : ` to revision ${countText(Number(subject))}`
}

function timesText(times: number): string {
  return times === 1 ? 'once' : times === 2 ? 'twice' : `${countText(times)} times`
}

function withArticle(role: string): string {
  return role === 'member' ? `a ${role}` : `an ${role}`
}

/** What an endpoint does, after "was denied:". */
const attempts: Readonly<Partial<Record<string, string>>> = {
  evaluate: 'evaluate a variable',
  evaluateBatch: 'evaluate variables',
  pull: 'evaluate a whole stage',
  list: 'list variables',
  write: 'change variables',
  chance: 'set the chance of a roll',
  attributes: 'change the visibility or description of variables',
  copy: 'copy variables',
  reveal: 'reveal values',
  plain: 'read plain values',
  manifest: 'read the variables of a stage',
  digests: 'compare stages',
  history: 'read the history',
  restore: 'restore variables',
  rollCounts: 'read the counts of a roll',
  audit: 'read the audit log',
  search: 'search for variables',
  events: 'follow a project',
  projects: 'list projects',
  projectCreate: 'create a project',
  projectUpdate: 'change a project',
  stageCreate: 'create a stage',
  stageOrder: 'change the order of stages',
  stageDelete: 'delete a stage',
  projectDelete: 'delete a project',
  stageUpdate: 'change a stage',
  organization: 'read the settings of the organization',
  organizationUpdate: 'change the settings of the organization',
  organizationDelete: 'delete the organization',
  usage: 'read the usage',
  usageCallers: 'read who evaluated',
  tokenCreate: 'create a service token',
  tokenList: 'list service tokens',
  tokenRevoke: 'revoke a service token',
  sessionList: 'list sessions',
  sessionRevoke: 'end a session',
  session: 'read a session',
  whoami: 'read whom the credential belongs to',
  logout: 'log out',
  deviceShow: 'look at a login',
  deviceComplete: 'approve a login',
  deviceDeny: 'deny a login',
}

const reasons: Readonly<Partial<Record<string, string>>> = {
  FORBIDDEN: 'not allowed',
  INVALID_ORG_SCOPE: 'another organization',
  ORG_SCOPE_INVALID: 'not a member',
  USAGE_LIMIT_EXCEEDED: 'beyond the plan',
  RATE_LIMITED: 'too many requests',
  USER_CODE_INVALID: 'not a code',
  VARIABLE_NOT_FOUND: 'no such variable',
}

/** Describes a subject such as "secret plain", or "- client" of a new variable. */
function exposurePhrase(entry: AuditEntry): Phrase {
  const from = firstOf(entry)
  return from === '-'
    ? ['added', variablesOf(entry), `as visible to client programs ${within(entry)}`]
    : ['made', variablesOf(entry), `${lastOf(entry)} instead of ${from} ${within(entry)}`]
}

const parts: Readonly<Partial<Record<string, string>>> = { exposure: 'visibility' }

/** Names what a subject such as "rules,pins" says that was changed. Writes of values and older entries have none. */
function partsOf({ subject }: AuditEntry): string {
  const names = subject?.split(',').map((part) => parts[part] ?? part)
  return names ? ` the ${names.join(' and ')} of` : ''
}

/** Describes a subject such as "tokenList FORBIDDEN". */
function refusalPhrase({ subject = '', nameCount = 1 }: AuditEntry): Phrase {
  const [endpoint = '', code = ''] = subject.split(' ')
  const times = nameCount === 1 ? '' : ` ${timesText(nameCount)}`
  if (code === 'DEVICE_CODE_NOT_FOUND') return [`entered an unknown device code${times}`]
  const reason = reasons[code] ?? code.toLowerCase().replaceAll('_', ' ')
  return [`was denied${times}:`, '', `${attempts[endpoint] ?? endpoint} (${reason})`]
}

/** The options of the action filter. */
export const actionNames: Readonly<Record<AuditAction, string>> = {
  'variable.create': 'Added variables',
  'variable.update': 'Changed variables',
  'variable.delete': 'Deleted variables',
  'variable.expose': 'Raised a visibility',
  write: 'Changed variables (older entries)',
  chance: 'Set a chance',
  copy: 'Copied variables',
  restore: 'Restored variables',
  'change.propose': 'Proposed a change',
  'change.edit': 'Edited a change',
  'change.reschedule': 'Rescheduled a change',
  'change.approve': 'Approved a change',
  'change.reject': 'Rejected a change',
  'change.apply': 'Applied a change',
  'change.withdraw': 'Withdrew a change',
  'change.step': 'Wrote a step of a rollout',
  'change.skip': 'Skipped a step of a rollout',
  'change.pause': 'Paused a rollout',
  'change.resume': 'Resumed a rollout',
  'change.abort': 'Aborted a rollout',
  'change.fail': 'Could not apply a change',
  reveal: 'Revealed values',
  'token.create': 'Created a service token',
  'token.rotate': 'Replaced the secret of a service token',
  'token.revoke': 'Revoked a service token',
  'trust.create': 'Created a trust',
  'trust.update': 'Changed a trust',
  'trust.delete': 'Deleted a trust',
  'trust.exchange': 'Exchanged a token',
  'client-key.create': 'Created a client key',
  'client-key.revoke': 'Revoked a client key',
  'device.approve': 'Approved a CLI login',
  'device.deny': 'Denied a CLI login',
  'device.exchange': 'CLI login',
  'session.refresh': 'Renewed a CLI session',
  'session.revoke': 'Ended a CLI session',
  'session.confirm': 'Confirmed a CLI session',
  logout: 'CLI logout',
  setup: 'Made an owner (operator)',
  'project.create': 'Created a project',
  'project.update': 'Changed a project',
  'stage.create': 'Created a stage',
  'stage.update': 'Changed a stage',
  'stage.order': 'Changed the order of stages',
  'stage.protect': 'Protected a stage, or ended that',
  'stage.rules': 'Changed approvals and freezes',
  'stage.delete': 'Deleted a stage',
  'project.delete': 'Deleted a project',
  'organization.create': 'Created organization',
  'organization.update': 'Changed settings',
  'organization.delete': 'Deleted the organization',
  export: 'Exported all values',
  'access.grant': 'Granted access',
  'access.revoke': 'Revoked access',
  'group.create': 'Created a group',
  'group.update': 'Renamed a group',
  'group.delete': 'Deleted a group',
  'group.join': 'Added someone to a group',
  'group.leave': 'Removed someone from a group',
  'role.set': 'Set what a role allows',
  'role.delete': 'Deleted a role',
  'member.add': 'Added a member',
  'member.role': 'Changed a role',
  'member.remove': 'Removed a member',
  'invitation.create': 'Invited someone',
  'invitation.accept': 'Accepted an invitation',
  'invitation.reject': 'Declined an invitation',
  'invitation.cancel': 'Withdrew an invitation',
  'sign-in': 'Signed in',
  'sign-in.failed': 'Entered a wrong password or code',
  'sign-out': 'Signed out',
  'password.change': 'Changed a password',
  'password.reset': 'Set a new password by a link',
  'password.link': 'Created a password link',
  'passkey.add': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'second-factor.add': 'Added a second factor',
  'second-factor.codes': 'Created recovery codes',
  'second-factor.remove': 'Removed a second factor',
  'sign-in-method.add': 'Added a way to sign in',
  'sign-in-method.remove': 'Removed a way to sign in',
  'signing-keys.revoke': 'Revoked signing keys',
  refusal: 'Denied',
  'key.rotate': 'Changed data keys',
  'key.rewrap': 'Re-wrapped data keys',
  'backup.restore': 'Restored a backup',
}

export function phraseOf(entry: AuditEntry, personName: PersonName): Phrase {
  if (entry.actor === undefined) return [lowered(actionNames[entry.action])]
  return phrases[entry.action](entry, personName)
}

/** Names who did it. Of what the service does at a planned time, the actor is the person who planned it. */
export function actorName(entry: AuditEntry, personName: (id: string) => string): string {
  const { actor, how, client } = entry
  if (actor === undefined) return labels.removed
  if (isScheduled(entry)) return 'The service'
  if (how === 'service') return client ?? actor
  return how === 'operator' ? operatorName : personName(actor)
}

/** Returns whether the service did it at a planned time. */
export function isScheduled({ how, client }: AuditEntry): boolean {
  return how === 'system' && client === 'schedule'
}

export const operatorName = 'The operator'

function lowered(text: string): string {
  return text.startsWith('CLI') ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

export const labels = {
  title: 'Audit log',
  lead: 'Who did what in the organization. Details are removed after the retention period; evaluations are counted in Usage.',
  read: 'read the audit log',
  removed: 'Details removed:',
  checkpoints:
    'Each entry is chained to the one before it, and signed checkpoints in the log of the service show whether entries were changed or removed.',
  verify: 'How to verify the log',
  who: 'Who',
  action: 'Action',
  project: 'Project',
  stage: 'Stage',
  variable: 'Variable',
  exactName: 'Exact variable name',
  dates: 'Dates',
  from: 'From',
  to: 'To',
  latest: { 1: 'Today', 7: 'Last 7 days', 30: 'Last 30 days' },
  chosenDates: (from: string | undefined, to: string | undefined) => {
    if (from === undefined) return to && `until ${to}`
    return to === undefined ? `since ${from}` : `${from} to ${to}`
  },
  serviceToken: (name: string) => `service token ${name}`,
  none: 'No entries yet',
  noneText: 'Every change, revealed value and login appears here.',
  noMatch: 'No entries match the filters',
  noMatchText: 'Clear a filter to see more.',
  entry: (seq: number) => `Entry ${countText(seq)}`,
  noEntry: 'There is no such entry in this organization.',
  history: 'Open in the history',
  facts: {
    time: 'Time',
    who: 'Who',
    actor: 'Actor ID',
    client: 'Via',
    place: 'Where',
    variables: 'Variables',
    revision: 'Revision',
    chance: 'Chance',
    bypass: 'Reason of the bypass',
    visibility: 'Visibility',
    subject: 'Subject',
    request: 'Request ID',
    details: 'Details',
  },
  detailsRemoved: 'Removed after the retention period',
  export: 'Export',
  exportHint: 'As a file of JSON lines, with the filters',
  exported: (count: number) => `Exported ${countText(count)} entries`,
  exportProgress: (count: number) => `${countText(count)} entries so far`,
  cancelExport: 'Cancel export',
} as const

type Fact = readonly [name: string, text: string]

/** Returns the names and the texts of the facts that the subject has. */
export function subjectFacts(entry: AuditEntry): readonly Fact[] {
  const { action, subject } = entry
  if (subject === undefined) return []
  const reason = bypassReason(entry)
  if (reason === undefined) return [subjectFact(action, subject)]
  return [
    [labels.facts.bypass, shown(reason)],
    [labels.facts.subject, subject.slice(0, -reason.length - 1)],
  ]
}

function subjectFact(action: AuditAction, subject: string): Fact {
  const words = subject.split(' ')
  if (action === 'chance' && words.length === 2)
    return [labels.facts.chance, words.map((chance) => percentText(Number(chance))).join(' → ')]
  if (action === 'variable.expose') return [labels.facts.visibility, words.filter((word) => word !== '-').join(' → ')]
  return [labels.facts.subject, shown(subject)]
}

/** Returns the lines of a text of a person, without its hidden characters. */
function shown(text: string): string {
  return text.split('\n').map(withoutHiddenCharacters).join('\n')
}

/** Returns what follows the third word of a subject such as "chg_1 u1 - Production is down": why a change was applied anyway. */
function bypassReason({ action, subject = '' }: AuditEntry): string | undefined {
  return action === 'change.apply' ? /^(?:\S+ ){3}(.+)$/s.exec(subject)?.[1] : undefined
}

function variablesOf({ names, nameCount = 0 }: AuditEntry): string {
  return names?.length === 1 ? (names[0] ?? '') : `${countText(nameCount)} variables`
}

/** Returns the last word of a subject such as "isProtected false true". */
function lastOf({ subject = '' }: AuditEntry): string {
  return subject.split(' ').at(-1) ?? ''
}

/** Returns the subject without its first word. */
function afterFirst({ subject = '' }: AuditEntry): string {
  return withoutHiddenCharacters(subject.slice(subject.indexOf(' ') + 1))
}

/** Returns the name of a subject such as "tok_1 CI of the shop". Older entries have none. */
function nameOf(entry: AuditEntry): string | undefined {
  return entry.subject?.includes(' ') ? afterFirst(entry) : undefined
}

/** Returns the name of a principal: `user:ID`, `email:ADDRESS`, `group:ID` or `token:ID`. */
function principalName(principal: string, personName: PersonName): string {
  const id = principal.slice(principal.indexOf(':') + 1)
  if (principal.startsWith('user:')) return personName(id)
  if (principal.startsWith('email:')) return id
  const name = personName(principal)
  if (principal.startsWith('group:')) return name === principal ? 'a group' : `the group ${name}`
  return name === principal ? 'a service token' : `the service token ${name}`
}

function grantedTo(entry: AuditEntry, personName: PersonName): string {
  const principal = firstOf(entry)
  return principal === `user:${entry.actor}` ? 'themselves' : principalName(principal, personName)
}

function tokenOf(entry: AuditEntry, personName: PersonName): string {
  const name = nameOf(entry)
  return name === undefined ? principalName(`token:${firstOf(entry)}`, personName) : `the service token ${name}`
}

function clientKeyOf(name: string | undefined): string {
  return name === undefined ? 'a client key' : `the client key ${name}`
}

/** Returns the name of a subject such as "key_1 https://app.example.com name=Web shop". Older entries have none. */
function newKeyName({ subject = '' }: AuditEntry): string | undefined {
  const name = / name=(.*)$/s.exec(subject)?.[1]
  return name === undefined ? undefined : withoutHiddenCharacters(name)
}

function trustOf(entry: AuditEntry): string {
  const name = trustName(entry, '+') ?? trustName(entry, '') ?? trustName(entry, '-')
  return name === undefined ? 'a trust' : `the trust ${name}`
}

function formerTrustName(entry: AuditEntry): string {
  const former = trustName(entry, '-')
  return former === undefined ? '' : `(before: ${former})`
}

/** A word of a subject such as `trust:tru_1 name reader reader -name=ci +"name=CI of the shop"`, with its sign. */
const trustWord = /(?<= )[-+]?(?:"(?:[^"\\]|\\.)*"|\S+)/g

/** Returns the name of a trust in the fact that has this sign. */
function trustName({ subject = '' }: AuditEntry, sign: '+' | '-' | ''): string | undefined {
  const fact = subject
    .match(trustWord)
    ?.find((each) => each.startsWith(`${sign}name=`) || each.startsWith(`${sign}"name=`))
  if (fact === undefined) return undefined
  const text = fact.slice(sign.length)
  const pair = text.startsWith('"') ? String(JSON.parse(text)) : text
  return withoutHiddenCharacters(pair.slice('name='.length))
}

/** Returns the group of a subject such as "grp_1 user:u2". */
function groupOf(entry: AuditEntry, personName: PersonName): string {
  return principalName(`group:${firstOf(entry)}`, personName)
}

/** Returns a role such as "developer@1795910400000", whose number is the time of its end, as words. */
function roleOfGrant(granted: string): string {
  const [role = '', endMs] = granted.split('@')
  return endMs === undefined ? role : `${role} until ${absoluteTime(Number(endMs))}`
}

/** Returns the second word of a subject such as "user:u2 viewer developer": what was granted before. */
function formerRole(entry: AuditEntry): string {
  const before = roleOf(entry)
  return before === '-' ? '' : ` (before: ${roleOfGrant(before)})`
}

/** Returns what a role allowed before a change such as "auditor list list,read". */
function formerVerbs(entry: AuditEntry): string {
  const before = roleOf(entry)
  return before === '-' ? '' : ` (before: ${before.replaceAll(',', ', ')})`
}

/** Returns where a grant is: a project, a stage or the organization. */
function grantPlace(entry: AuditEntry): string {
  return entry.projectSlug === undefined ? 'of the organization' : `of ${placeName(entry)}`
}

/** Returns the person of a subject such as "grace@example.com admin". */
function firstOf({ subject = '' }: AuditEntry): string {
  return subject.split(' ')[0] ?? ''
}

function roleOf({ subject = '' }: AuditEntry): string {
  return subject.split(' ')[1] ?? ''
}

function asRole(entry: AuditEntry): string {
  return `as ${roleOf(entry)}`
}

function within(entry: AuditEntry): string {
  return `in ${placeName(entry)}`
}
