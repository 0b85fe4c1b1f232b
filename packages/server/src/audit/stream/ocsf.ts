/** What each action of the audit log is in the Open Cybersecurity Schema Framework (schema.ocsf.io), version 1.1.0. */
import type { AuditAction } from '@rollkey/contract'

export const ocsfVersion = '1.1.0'

/** The classes of events, with their numbers of activities. Each also has 99 for others. */
const classes = {
  'Account Change': {
    uid: 3001,
    activities: {
      Create: 1,
      'Password Change': 3,
      'Password Reset': 4,
      'MFA Factor Enable': 10,
      'MFA Factor Disable': 11,
      Other: 99,
    },
  },
  Authentication: { uid: 3002, activities: { Logon: 1, Logoff: 2, 'Service Ticket Renew': 5, Other: 99 } },
  'Entity Management': { uid: 3004, activities: { Create: 1, Read: 2, Update: 3, Delete: 4, Other: 99 } },
  'User Access Management': { uid: 3005, activities: { 'Assign Privileges': 1, 'Revoke Privileges': 2, Other: 99 } },
  'Group Management': {
    uid: 3006,
    activities: { 'Add User': 3, 'Remove User': 4, Delete: 5, Create: 6, Other: 99 },
  },
  'API Activity': { uid: 6003, activities: { Create: 1, Read: 2, Update: 3, Delete: 4, Other: 99 } },
} as const
type Classes = typeof classes

/** The event of an action: names and numbers of its class and activity. */
export interface OcsfEvent {
  readonly className: string
  readonly classUid: number
  readonly activityName: string
  readonly activityId: number
  /** Whether the action is that something did not succeed. */
  readonly isFailure: boolean
}

function event<Class extends keyof Classes>(
  className: Class,
  activityName: keyof Classes[Class]['activities'] & string,
  isFailure = false,
): OcsfEvent {
  const { uid, activities } = classes[className]
  const activityId = (activities as Readonly<Record<string, number>>)[activityName] as number
  return { className, classUid: uid, activityName, activityId, isFailure }
}

const entity = (activity: keyof Classes['Entity Management']['activities']) => event('Entity Management', activity)
const granted = event('User Access Management', 'Assign Privileges')
const revoked = event('User Access Management', 'Revoke Privileges')
const [created, read, updated, deleted] = [entity('Create'), entity('Read'), entity('Update'), entity('Delete')]
const [logon, logoff] = [event('Authentication', 'Logon'), event('Authentication', 'Logoff')]
const otherLogon = event('Authentication', 'Other')
const enabledFactor = event('Account Change', 'MFA Factor Enable')
const disabledFactor = event('Account Change', 'MFA Factor Disable')
const passwordReset = event('Account Change', 'Password Reset')
const otherAccount = event('Account Change', 'Other')

/** The event of each action. An action that is missing here does not compile. */
export const ocsfEvents: Readonly<Record<AuditAction, OcsfEvent>> = {
  'variable.create': created,
  'variable.update': updated,
  'variable.delete': deleted,
  'variable.expose': updated,
  write: updated,
  chance: updated,
  copy: created,
  restore: updated,
  'declaration.set': updated,
  'declaration.delete': deleted,
  'change.propose': created,
  'change.edit': updated,
  'change.reschedule': updated,
  'change.approve': updated,
  'change.reject': updated,
  'change.apply': updated,
  'change.step': updated,
  'change.skip': updated,
  'change.pause': updated,
  'change.resume': updated,
  'change.abort': updated,
  'change.fail': event('Entity Management', 'Update', true),
  'change.withdraw': deleted,
  reveal: read,
  export: read,
  'token.create': created,
  'token.rotate': updated,
  'token.revoke': deleted,
  'token.expiring': entity('Other'),
  'secret.due': entity('Other'),
  'roll.misfit': entity('Other'),
  'client-key.create': created,
  'client-key.revoke': deleted,
  'trust.create': created,
  'trust.update': updated,
  'trust.delete': deleted,
  'trust.exchange': logon,
  'hook.create': created,
  'hook.update': updated,
  'hook.rotate': updated,
  'hook.off': updated,
  'hook.delete': deleted,
  'device.approve': otherLogon,
  'device.deny': event('Authentication', 'Other', true),
  'device.exchange': logon,
  'session.refresh': event('Authentication', 'Service Ticket Renew'),
  'session.confirm': logon,
  'session.revoke': logoff,
  logout: logoff,
  setup: event('Account Change', 'Create'),
  'project.create': created,
  'project.update': updated,
  'project.delete': deleted,
  'stage.create': created,
  'stage.update': updated,
  'stage.order': updated,
  'stage.protect': updated,
  'stage.rules': updated,
  'stage.delete': deleted,
  'organization.create': created,
  'organization.update': updated,
  'organization.delete': deleted,
  'access.grant': granted,
  'access.revoke': revoked,
  'role.set': granted,
  'role.delete': revoked,
  'member.add': granted,
  'member.role': granted,
  'member.remove': revoked,
  'group.create': event('Group Management', 'Create'),
  'group.update': event('Group Management', 'Other'),
  'group.delete': event('Group Management', 'Delete'),
  'group.join': event('Group Management', 'Add User'),
  'group.leave': event('Group Management', 'Remove User'),
  'invitation.create': created,
  'invitation.accept': updated,
  'invitation.reject': updated,
  'invitation.cancel': deleted,
  'sign-in': logon,
  'sign-in.failed': event('Authentication', 'Logon', true),
  'sign-out': logoff,
  'email.change': otherAccount,
  'password.change': event('Account Change', 'Password Change'),
  'password.reset': passwordReset,
  'password.link': passwordReset,
  'passkey.add': enabledFactor,
  'passkey.remove': disabledFactor,
  'second-factor.add': enabledFactor,
  'second-factor.codes': otherAccount,
  'second-factor.remove': disabledFactor,
  'sign-in-method.add': otherAccount,
  'sign-in-method.remove': otherAccount,
  'signing-keys.revoke': updated,
  refusal: event('API Activity', 'Other', true),
  'key.rotate': updated,
  'key.rewrap': updated,
  'backup.restore': updated,
}

/** The event of a checkpoint, in the base class, which is that of everything else. */
export const checkpointEvent: OcsfEvent = {
  className: 'Base Event',
  classUid: 0,
  activityName: 'Other',
  activityId: 99,
  isFailure: false,
}
