/** Actions and entries of the audit log. */
import { z } from 'zod'
import * as field from './fields.ts'

const auditActions = [
  'variable.create',
  'variable.update',
  'variable.delete',
  /** Variables became visible to more readers. */
  'variable.expose',
  /** Any of the three above, in entries of older versions. */
  'write',
  'chance',
  'copy',
  'restore',
  'reveal',
  'token.create',
  'token.rotate',
  'token.revoke',
  'device.approve',
  'device.deny',
  'device.exchange',
  'session.refresh',
  'session.confirm',
  'session.revoke',
  'logout',
  'setup',
  'project.create',
  'project.update',
  'project.delete',
  'stage.create',
  'stage.update',
  'stage.order',
  'stage.protect',
  'stage.delete',
  'organization.create',
  'organization.update',
  'organization.delete',
  'export',
  'access.grant',
  'access.revoke',
  'group.create',
  'group.update',
  'group.delete',
  'group.join',
  'group.leave',
  'role.set',
  'role.delete',
  'member.add',
  'member.role',
  'member.remove',
  'invitation.create',
  'invitation.accept',
  'invitation.reject',
  'invitation.cancel',
  'sign-in',
  'sign-in.failed',
  'sign-out',
  'password.change',
  'password.reset',
  'password.link',
  'passkey.add',
  'passkey.remove',
  'signing-keys.revoke',
  'refusal',
  'key.rotate',
  'key.rewrap',
  'backup.restore',
] as const

/** An action of the audit log. */
export const auditAction = z.enum(auditActions)
/** An action of the audit log. */
export type AuditAction = z.output<typeof auditAction>

/** An entry of the audit log. */
export const auditEntry = z.object({
  seq: z.number().int().describe('Number of the entry within the organization: 1, 2, 3 … without gaps'),
  atMs: field.timeMs,
  action: auditAction.describe('What was done'),
  actor: z
    .string()
    .optional()
    .describe(
      'Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, or operator. Absent, like all fields that follow, if the details were deleted after their retention period',
    ),
  how: z
    .enum(['provider', 'session', 'service', 'operator', 'system'])
    .optional()
    .describe('Kind of credential; system: the service acted by itself; absent if the details were deleted'),
  client: z
    .string()
    .optional()
    .describe(
      'Client as a text for people, such as: cli session laptop; for system: the reason; absent if the details were deleted',
    ),
  projectSlug: field.projectSlug.optional().describe('Project of the action; absent if it has none'),
  stageSlug: field.stageSlug.optional().describe('Stage of the action; absent if it has none'),
  names: z.array(field.name).optional().describe('Names of the variables; absent if there are none, or more than 100'),
  nameCount: z
    .number()
    .int()
    .optional()
    .describe(
      'Number of variables; for a refusal or failed sign-in: number of occurrences since the last entry; absent otherwise',
    ),
  revision: field.revision
    .optional()
    .describe('Revision of the stage that the action made or showed; absent if there is none'),
  subject: z
    .string()
    .optional()
    .describe(
      'Other object of the action: the id of a token, session, device code, user or passkey, or the email of an invitation, and after a space the role; for a sign-in, also a failed one: its method; for a refusal: the endpoint and the code; for variable.expose: the exposure before and after; for a production mark: isProduction, before and after, likewise isProtected and defaultRole; for a project or stage that is archived or restored: archived or restored; for a new name of a project, stage or organization: name and the new one; for a setting: createsOnWrite and its new value; for a chance: the chances before and after; for access.grant and access.revoke: the kind and id of the principal, the role before and after, with - for none and @ before the time of its end; for a group: its id and its name or its member; for a role: its name and its verbs before and after; for an order of at most 100 stages: their slugs before and after, with commas; absent if there is none',
    ),
  requestId: z.string().optional().describe('Id of the request; absent if there was none'),
})

/** An entry of the audit log. */
export type AuditEntry = z.output<typeof auditEntry>
