/** Texts of the audit log. */
import type { AuditAction, AuditFacts } from '@rollkey/contract'
import { withoutHiddenCharacters } from '@rollkey/contract/rules'
import type { AuditEntry, AuditState, Principal } from '@rollkey/sdk/core'
import { countText, percentText, unbroken } from '../../lib/numbers.ts'
import { absoluteTime } from '../../lib/time.ts'
import { labels as historyLabels } from '../../data/history/labels.ts'
import { placeName } from '../../data/projects/labels.ts'
import attempts from './attempts.json'

/** What was done, to what, and where: "created", "DATABASE_URL", "in shop/prod". It follows who did it. */
type Phrase = readonly [did: string, what?: string, where?: string]

type PersonName = (userId: string) => string

type Phrases = {
  readonly [Action in AuditAction]: (facts: AuditFacts<Action>, entry: AuditEntry, personName: PersonName) => Phrase
}

const phrases: Phrases = {
  'variable.create': (_, entry) => ['added', variablesOf(entry), within(entry)],
  'variable.update': ({ parts }, entry) => [`changed${partsText(parts)}`, variablesOf(entry), within(entry)],
  'variable.delete': (_, entry) => ['deleted', variablesOf(entry), within(entry)],
  'variable.expose': ({ before, after }, entry) =>
    before
      ? ['made', variablesOf(entry), `${after?.exposure} instead of ${before.exposure} ${within(entry)}`]
      : ['added', variablesOf(entry), `as visible to client programs ${within(entry)}`],
  write: (_, entry) => ['changed', variablesOf(entry), within(entry)],
  chance: ({ before, after }, entry) => [
    'set the chance of',
    variablesOf(entry),
    `${chanceText('from', before?.chance)}${chanceText('to', after?.chance)}${within(entry)}`,
  ],
  copy: (_, entry) => ['copied', variablesOf(entry), `to ${placeName(entry)}`],
  restore: ({ restoredRevision }, entry) => [
    'restored',
    variablesOf(entry),
    `${within(entry)}${restoredRevision === undefined ? '' : ` to revision ${countText(restoredRevision)}`}`,
  ],
  'change.propose': ({ isPlanned }, entry) => [
    `${isPlanned ? 'planned' : 'proposed'} a change of`,
    variablesOf(entry),
    within(entry),
  ],
  'change.edit': ({ isRebase }, entry) => [
    `${isRebase ? 'based' : 'edited'} a change of`,
    variablesOf(entry),
    isRebase ? `on the present state of ${placeName(entry)}` : within(entry),
  ],
  'change.reschedule': (_, entry) => ['rescheduled a change of', variablesOf(entry), within(entry)],
  'change.approve': (_, entry) => ['approved a change of', variablesOf(entry), within(entry)],
  'change.reject': (_, entry) => ['rejected a change of', variablesOf(entry), within(entry)],
  'change.apply': ({ bypassReason }, entry) => [
    bypassReason === undefined ? 'applied a change of' : 'bypassed approval or a freeze to apply a change of',
    variablesOf(entry),
    within(entry),
  ],
  'change.withdraw': (_, entry) => ['withdrew a change of', variablesOf(entry), within(entry)],
  'change.step': (_, entry) => ['wrote a step of the rollout of', variablesOf(entry), within(entry)],
  'change.skip': (_, entry) => ['skipped a step of the rollout of', variablesOf(entry), within(entry)],
  'change.pause': (_, entry) => ['paused the rollout of', variablesOf(entry), within(entry)],
  'change.resume': (_, entry) => ['resumed the rollout of', variablesOf(entry), within(entry)],
  'change.abort': (_, entry) => ['aborted the rollout of', variablesOf(entry), within(entry)],
  'change.fail': (_, entry) => ['could not apply the planned change of', variablesOf(entry), within(entry)],
  reveal: ({ parts }, entry) => [`revealed${partsText(parts)}`, variablesOf(entry), within(entry)],
  'token.create': ({ name }, entry) => ['created', tokenOf(name), `for ${placeName(entry)}`],
  'token.rotate': ({ name }) => ['replaced the secret of', tokenOf(name)],
  'token.revoke': ({ name }) => ['revoked', tokenOf(name)],
  'token.expiring': ({ name }) => ['announced the end of', tokenOf(name)],
  'secret.due': (_, entry) => ['announced a due rotation of', variablesOf(entry), within(entry)],
  'roll.misfit': (_, entry) => ['announced another split than the chance of', variablesOf(entry), within(entry)],
  'trust.create': ({ name }, entry) => ['created', trustOf(name), `for ${placeName(entry)}`],
  'trust.update': ({ name, before }) => [
    'changed',
    trustOf(name),
    before?.name === undefined ? '' : `(before: ${withoutHiddenCharacters(before.name)})`,
  ],
  'trust.delete': ({ name }) => ['deleted', trustOf(name)],
  'trust.exchange': () => ['exchanged a token'],
  'client-key.create': ({ name }, entry) => ['created', clientKeyOf(name), `for ${placeName(entry)}`],
  'client-key.revoke': ({ name }) => ['revoked', clientKeyOf(name)],
  'hook.create': ({ name, target }) => ['created', webhookOf(name), target === undefined ? '' : `to ${target}`],
  'hook.update': ({ name, target }) => ['changed', webhookOf(name), target === undefined ? '' : `to ${target}`],
  'hook.rotate': ({ name }) => ['replaced the secret of', webhookOf(name)],
  'hook.off': ({ name }) => ['switched off', webhookOf(name)],
  'hook.delete': ({ name }) => ['deleted', webhookOf(name)],
  'device.approve': () => ['approved a CLI login'],
  'device.deny': () => ['denied a CLI login'],
  'device.exchange': () => ['logged in with the CLI'],
  'session.refresh': () => ['renewed a CLI session'],
  'session.revoke': (_, { how }) => [
    how === 'system' ? 'had a CLI session ended by the service' : 'ended a CLI session',
  ],
  'session.confirm': () => ['confirmed a CLI session'],
  logout: () => ['logged out of the CLI'],
  setup: () => ['made an owner of the organization, with a session'],
  'project.create': (_, entry) => ['created the project', placeName(entry)],
  'project.update': ({ after }, entry) => [`${changeOf(after)} the project`, placeName(entry), newName(after)],
  'project.delete': (_, entry) => ['deleted the project', placeName(entry)],
  'stage.create': (_, entry) => ['created the stage', placeName(entry)],
  'stage.update': ({ after }, entry) => [`${changeOf(after)} the stage`, placeName(entry), newName(after)],
  'stage.protect': ({ after }, entry) => [
    after?.isProtected ? 'protected the stage' : 'ended the protection of the stage',
    placeName(entry),
  ],
  'stage.rules': (_, entry) => ['changed approvals and freezes of', placeName(entry)],
  'stage.delete': (_, entry) => ['deleted the stage', placeName(entry)],
  'declaration.set': (_, entry) => ['declared', variablesOf(entry), within(entry)],
  'declaration.delete': (_, entry) => ['deleted the declaration of', variablesOf(entry), within(entry)],
  'stage.order': (_, entry) => ['changed the order of the stages of', placeName(entry)],
  'organization.create': () => ['created the organization'],
  'organization.update': settingPhrase,
  'organization.delete': () => ['deleted the organization'],
  export: () => ['exported all values of the organization'],
  'access.grant': ({ principal, before, after }, entry, personName) => [
    'made',
    grantedTo(principal, entry, personName),
    `${grantedRole(after)} ${grantPlace(entry)}${formerRole(before)}`,
  ],
  'access.revoke': ({ principal, before }, entry, personName) => [
    'revoked the access of',
    principalName(principal, personName),
    `${grantPlace(entry)}${formerRole(before)}`,
  ],
  'group.create': ({ name }) => ['created the group', withoutHiddenCharacters(name)],
  'group.update': ({ name }) => ['renamed a group to', withoutHiddenCharacters(name)],
  'group.delete': ({ name }) => ['deleted the group', withoutHiddenCharacters(name)],
  'group.join': ({ groupId, principal }, _, personName) => [
    'added',
    principalName(principal, personName),
    `to ${groupName(groupId, personName)}`,
  ],
  'group.leave': ({ groupId, principal }, _, personName) => [
    'removed',
    principalName(principal, personName),
    `from ${groupName(groupId, personName)}`,
  ],
  'role.set': ({ role, before, after }) => [
    'set what the role',
    role,
    `allows: ${verbsText(after)}${before ? ` (before: ${verbsText(before)})` : ''}`,
  ],
  'role.delete': ({ role }) => ['deleted the role', role],
  'member.add': ({ userId, role }, { actor }, personName) =>
    actor === userId ? ['joined', '', `as ${role}`] : ['added', personName(userId), `as ${role}`],
  'member.role': ({ userId, role }, { actor }, personName) => [
    'made',
    actor === userId ? 'themselves' : personName(userId),
    withArticle(role),
  ],
  'member.remove': ({ userId }, _, personName) => ['removed', personName(userId), 'from the organization'],
  'invitation.create': ({ email, role }) => ['invited', email, `as ${role}`],
  'invitation.accept': () => ['accepted an invitation'],
  'invitation.reject': () => ['declined an invitation'],
  'invitation.cancel': ({ email }) => ['withdrew the invitation of', email],
  'sign-in': ({ method }) => ['signed in', '', `with ${signInMethods[method] ?? method}`],
  'sign-in.failed': ({ method }, { nameCount = 1 }) => [
    method === 'code' ? 'entered a wrong code' : 'entered a wrong password',
    '',
    timesText(nameCount),
  ],
  'sign-out': () => ['signed out'],
  'email.change': ({ userId, after }, _, personName) => [
    'changed the email of',
    personName(userId),
    after?.email === undefined ? '' : `to ${after.email}`,
  ],
  'password.change': () => ['changed their password'],
  'password.reset': () => ['set a new password by a link'],
  'password.link': ({ userId }, _, personName) => ['created a password link for', personName(userId)],
  'passkey.add': () => ['added a passkey'],
  'passkey.remove': () => ['removed a passkey'],
  'second-factor.add': () => ['added a second factor to their password'],
  'second-factor.codes': () => ['created new recovery codes'],
  'second-factor.remove': () => ['removed the second factor of a password'],
  'sign-in-method.add': ({ method }) => ['added the sign-in with', method],
  'sign-in-method.remove': ({ method }) => ['removed the sign-in with', method],
  'signing-keys.revoke': () => ['revoked the keys that sign tokens'],
  refusal: refusalPhrase,
  'key.rotate': (_, entry) => ['changed the data keys', '', `of ${placeName(entry)}`],
  'key.rewrap': () => ['re-wrapped the data keys'],
  'backup.restore': ({ madeAtMs }) => ['restored everything from the backup of', absoluteTime(madeAtMs)],
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

type PlaceState = AuditFacts<'stage.update'>['after']

/** Returns the verb for a project or stage. */
function changeOf({ isArchived, name, isProduction }: NonNullable<PlaceState> = {}): string {
  if (isArchived !== undefined) return isArchived ? 'archived' : 'restored from the archive'
  if (name !== undefined) return 'renamed'
  if (isProduction === undefined) return 'changed'
  return isProduction ? 'marked as production' : 'removed the production mark of'
}

/** Returns what follows a thing that was renamed. */
function newName(after: PlaceState): string {
  return after?.name === undefined || after.isArchived !== undefined ? '' : `to ${withoutHiddenCharacters(after.name)}`
}

function settingPhrase(
  { before, after = {} }: AuditFacts<'organization.update'>,
  _: AuditEntry,
  personName: PersonName,
): Phrase {
  const { name, createsOnWrite, isCompanyOnly, breakGlass = [], needsSecondFactor, defaultRole } = after
  if (name !== undefined) return ['renamed the organization to', withoutHiddenCharacters(name)]
  if (createsOnWrite !== undefined)
    return [
      createsOnWrite ? 'let writes create projects and stages' : 'stopped writes from creating projects and stages',
    ]
  if (isCompanyOnly === false) return ['allowed every way to sign in']
  if (isCompanyOnly)
    return [`required sign-in at the company, except for ${breakGlass.map((id) => personName(id)).join(', ')}`]
  if (needsSecondFactor !== undefined)
    return [needsSecondFactor ? 'required a second factor' : 'stopped requiring a second factor']
  if (defaultRole !== undefined)
    return ['changed the default role', '', `from ${before?.defaultRole} to ${defaultRole}`]
  return ['changed the settings of the organization']
}

function chanceText(preposition: string, chance: number | undefined): string {
  return chance === undefined ? '' : `${preposition} ${unbroken(percentText(chance))} `
}

function timesText(times: number): string {
  return times === 1 ? 'once' : times === 2 ? 'twice' : `${countText(times)} times`
}

function withArticle(role: string): string {
  return role === 'member' ? `a ${role}` : `an ${role}`
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

const partNames: Readonly<Partial<Record<string, string>>> = { exposure: 'visibility' }

/** Names what of the variables it is about: " the rules and pins of". Empty for values. */
function partsText(parts: readonly string[] | undefined): string {
  return parts ? ` the ${parts.map((part) => partNames[part] ?? part).join(' and ')} of` : ''
}

function refusalPhrase({ endpoint, code }: AuditFacts<'refusal'>, { nameCount = 1 }: AuditEntry): Phrase {
  const times = nameCount === 1 ? '' : ` ${timesText(nameCount)}`
  if (code === 'DEVICE_CODE_NOT_FOUND') return [`entered an unknown device code${times}`]
  const reason = reasons[code] ?? code.toLowerCase().replaceAll('_', ' ')
  return [`was denied${times}:`, '', `${attemptOf(endpoint)} (${reason})`]
}

/** An endpoint of a former or a newer version keeps its name. */
function attemptOf(endpoint: string): string {
  return (attempts as Readonly<Partial<Record<string, string>>>)[endpoint] ?? endpoint
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
  'token.expiring': 'A service token ends in seven days',
  'secret.due': 'A secret is due for another value',
  'roll.misfit': 'A roll serves another split than its chance',
  'trust.create': 'Created a trust',
  'trust.update': 'Changed a trust',
  'trust.delete': 'Deleted a trust',
  'trust.exchange': 'Exchanged a token',
  'client-key.create': 'Created a client key',
  'client-key.revoke': 'Revoked a client key',
  'hook.create': 'Created a webhook',
  'hook.update': 'Changed a webhook',
  'hook.rotate': 'Replaced the secret of a webhook',
  'hook.off': 'Switched off a failing webhook',
  'hook.delete': 'Deleted a webhook',
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
  'declaration.set': 'Declared variables',
  'declaration.delete': 'Deleted declarations',
  'stage.order': 'Changed the order of stages',
  'stage.protect': 'Protected or unprotected a stage',
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
  'email.change': 'Changed an email',
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
  const { action, actor, names, facts = {}, subject } = entry
  if (actor === undefined) return [lowered(actionNames[action])]
  // An entry of an older version.
  if (subject !== undefined)
    return [lowered(actionNames[action]), names ? variablesOf(entry) : withoutHiddenCharacters(subject), within(entry)]
  const phrase = phrases[action] as (facts: object, entry: AuditEntry, personName: PersonName) => Phrase
  return phrase(facts, entry, personName)
}

/** What the service does by itself. The entry has the person whom it concerns. */
const ofService: ReadonlySet<AuditEntry['action']> = new Set([
  'token.expiring',
  'secret.due',
  'roll.misfit',
  'hook.off',
])

/** Names who did it. What the service does at a planned time is done by the plan of a person. */
export function actorName(entry: AuditEntry, personName: (id: string) => string): string {
  const { actor, how, client } = entry
  if (actor === undefined) return labels.removed
  if (isOfService(entry)) return client === planned ? historyLabels.planOf(personName(actor)) : 'The service'
  if (how === 'service') return client ?? actor
  return how === 'operator' ? operatorName : personName(actor)
}

const planned = 'schedule'

/** Returns whether the service did it, at a planned time or by itself. */
export function isOfService({ how, client, action }: AuditEntry): boolean {
  return how === 'system' && (client === planned || ofService.has(action))
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
    'You can detect changed or removed entries: each is chained to the one before, and the log of the service has signed checkpoints.',
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

/** Returns the names and the texts of the facts about the action. */
export function factTexts({ facts = {}, subject }: AuditEntry): readonly Fact[] {
  const { before, after, ...others } = facts
  const changed = { ...before, ...after }
  return [
    ...Object.entries(others).map(([key, value]): Fact => [factName(key), factText(key, value)]),
    ...Object.keys(changed).map((key): Fact => {
      const texts = [before, after].flatMap((state) => {
        const value = state?.[key as keyof AuditState]
        return value === undefined ? [] : [factText(key, value)]
      })
      return [factName(key), texts.join(' → ')]
    }),
    ...(subject === undefined ? [] : [[labels.facts.subject, shown(subject)] as const]),
  ]
}

const factNames: Readonly<Partial<Record<string, string>>> = {
  exposure: 'Visibility',
  bypassReason: 'Reason of the bypass',
  verbs: 'Allows',
}

/** Returns the name of a fact as words: "Token ID". */
function factName(key: string): string {
  const words = key
    .replace(/Ms$/, '')
    .replace(/^is(?=[A-Z])/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
    .replace(/ id$/, ' ID')
  return factNames[key] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

function factText(key: string, value: unknown): string {
  if (typeof value === 'string') return shown(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (key === 'chance') return percentText(Number(value))
  if (key.endsWith('Ms')) return absoluteTime(Number(value))
  if (Array.isArray(value)) return value.map((each) => factText('', each)).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${factName(name).toLowerCase()} ${factText(name, part)}`)
    .join(', ')
}

/** Returns the lines of a text of a person, without its hidden characters. */
function shown(text: string): string {
  return text.split('\n').map(withoutHiddenCharacters).join('\n')
}

function variablesOf({ names, nameCount = 0 }: AuditEntry): string {
  return names?.length === 1 ? (names[0] ?? '') : `${countText(nameCount)} variables`
}

/** Returns the name of a principal; `personName` also knows those of groups. */
function principalName({ kind, id }: Principal, personName: PersonName): string {
  if (kind === 'user') return personName(id)
  if (kind === 'email') return id
  const name = personName(`${kind}:${id}`)
  const isKnown = name !== `${kind}:${id}`
  if (kind === 'group') return isKnown ? `the group ${name}` : 'a group'
  if (kind === 'trust') return isKnown ? `the trust ${name}` : 'a trust'
  return isKnown ? tokenOf(name) : 'a service token'
}

function grantedTo(principal: Principal, { actor }: AuditEntry, personName: PersonName): string {
  return principal.kind === 'user' && principal.id === actor ? 'themselves' : principalName(principal, personName)
}

function tokenOf(name: string): string {
  return `the service token ${withoutHiddenCharacters(name)}`
}

function clientKeyOf(name: string): string {
  return `the client key ${withoutHiddenCharacters(name)}`
}

function webhookOf(name: string): string {
  return `the webhook ${withoutHiddenCharacters(name)}`
}

function trustOf(name: string): string {
  return `the trust ${withoutHiddenCharacters(name)}`
}

function groupName(id: string, personName: PersonName): string {
  return principalName({ kind: 'group', id }, personName)
}

type GrantState = AuditFacts<'access.grant'>['after']

function grantedRole({ role = '', expiresAtMs }: NonNullable<GrantState> = {}): string {
  return expiresAtMs === undefined ? role : `${role} until ${absoluteTime(expiresAtMs)}`
}

function formerRole(before: GrantState): string {
  return before ? ` (before: ${grantedRole(before)})` : ''
}

function verbsText(state: AuditFacts<'role.set'>['after']): string {
  return state?.verbs?.join(', ') ?? ''
}

/** Returns where a grant is: a project, a stage or the organization. */
function grantPlace(entry: AuditEntry): string {
  return entry.projectSlug === undefined ? 'of the organization' : `of ${placeName(entry)}`
}

function within(entry: AuditEntry): string {
  return `in ${placeName(entry)}`
}
