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
  'change.propose',
  'change.edit',
  'change.reschedule',
  'change.approve',
  'change.reject',
  'change.apply',
  'change.step',
  'change.skip',
  'change.pause',
  'change.resume',
  'change.abort',
  'change.fail',
  'change.withdraw',
  'reveal',
  'token.create',
  'token.rotate',
  'token.revoke',
  'trust.create',
  'trust.update',
  'trust.delete',
  'trust.exchange',
  'client-key.create',
  'client-key.revoke',
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
  /** What a protected stage requires of changes. */
  'stage.rules',
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
  'second-factor.add',
  'second-factor.codes',
  'second-factor.remove',
  'sign-in-method.add',
  'sign-in-method.remove',
  'signing-keys.revoke',
  'refusal',
  'key.rotate',
  'key.rewrap',
  'backup.restore',
] as const

/** An action of the audit log. */
export const auditAction = z.enum(auditActions).meta({ id: 'AuditAction', description: 'Action of the audit log' })
/** An action of the audit log. */
export type AuditAction = z.output<typeof auditAction>

/** An entry of the audit log. */
export const auditEntry = z
  .object({
    seq: z.number().int().describe('Number of the entry within the organization: 1, 2, 3 … without gaps'),
    atMs: field.timeMs,
    action: auditAction.describe('What was done'),
    actor: z
      .string()
      .optional()
      .describe(
        'Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, the client key or the trust, or operator. Absent, like all fields that follow, if the details were deleted after their retention period',
      ),
    how: z
      .enum(['provider', 'session', 'service', 'operator', 'system'])
      .optional()
      .describe(
        'Kind of credential; service: a service token or a token of a trust; system: the service acted by itself; absent if the details were deleted',
      ),
    client: z
      .string()
      .optional()
      .describe(
        'Client as a text for people, such as: cli session laptop; for system: the reason; absent if the details were deleted',
      ),
    projectSlug: field.projectSlug.optional().describe('Project of the action; absent if it has none'),
    stageSlug: field.stageSlug.optional().describe('Stage of the action; absent if it has none'),
    names: z
      .array(field.name)
      .optional()
      .describe('Names of the variables; absent if there are none, or more than 100'),
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
        'Other object of the action: the id of a session, device code, user or passkey, or the email of an invitation, and after a space the role; for token.create, token.rotate, token.revoke and client-key.revoke: the id and, after a space, the name, which entries of older versions do not have; for a sign-in, also a failed one: its method; for a refusal: the endpoint and the code; for variable.expose: the exposure before, with - for a new variable, and after; for variable.update without values: what changed, such as rules,pins; for a production mark: isProduction, before and after, likewise isProtected and defaultRole; for stage.rules: what the stage requires of changes, before and after, each as JSON; for a project or stage that is archived or restored: archived or restored; for a new name of a project, stage or organization: name and the new one; for a setting: createsOnWrite and its new value; for a chance: the chances before and after; for a restore: the revision whose state is back; for a change: its id, for change.propose also planned if it has a time and needs no approval, for change.edit also rebased if that was the edit, and for change.apply also its proposer and, after another space, those who approved it with commas, or - for none, and after one more space the reason of a bypass; for change.step and change.skip also the number of the step and of all steps; for the reveal of proposed values: the id of the change; for access.grant and access.revoke: the kind and id of the principal, the role before and after, with - for none and @ before the time of its end; for a trust: its principal, what changed, the role before and after, with - for none, then what it no longer says with - and says now with +, such as +name=deploy, and name=… without a sign if it keeps its name; what has a space is a JSON text after the sign; for trust.exchange: the id of the session and the claims of the token; for client-key.create: the id of the key, its origins and, after name=, its name, which may have spaces; for a group: its id and its name or its member; for a role: its name and its verbs before and after; for an order of at most 100 stages: their slugs before and after, with commas; absent if there is none',
      ),
    requestId: z.string().optional().describe('Id of the request; absent if there was none'),
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log' })

/** An entry of the audit log. */
export type AuditEntry = z.output<typeof auditEntry>
