/** What the audit log notes. */
import { z } from 'zod'
import * as field from './fields.ts'

const auditActions = [
  'variable.create',
  'variable.update',
  'variable.delete',
  /** In entries of older versions: any of the three above. */
  'write',
  'chance',
  'copy',
  'restore',
  'reveal',
  'token.create',
  'token.revoke',
  'device.approve',
  'device.deny',
  'device.exchange',
  'session.refresh',
  'session.revoke',
  'logout',
  'setup',
  'project.create',
  'project.update',
  'stage.create',
  'stage.update',
  'organization.create',
  'organization.update',
  'export',
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

export const auditAction = z.enum(auditActions)
export type AuditAction = z.output<typeof auditAction>

export const auditEntry = z.object({
  seq: z.number().int().describe('1, 2, 3 … within the organization, without a gap'),
  atMs: field.timeMs,
  action: auditAction,
  actor: z
    .string()
    .optional()
    .describe(
      'Id of the user at the identity provider (of system: whose session or account it was), id of the service token, or operator. Absent, like all that follows, when the details were deleted after their time',
    ),
  how: z
    .enum(['provider', 'session', 'service', 'operator', 'system'])
    .optional()
    .describe('The kind of credential; system: the service did it by itself'),
  client: z.string().optional().describe('For people, such as: cli session laptop; of system: the reason'),
  projectSlug: field.projectSlug.optional(),
  stageSlug: field.stageSlug.optional(),
  names: z.array(field.name).optional().describe('Of the variables, if they are not more than 100'),
  nameCount: z
    .number()
    .int()
    .optional()
    .describe('How many variables; of a refusal or failed sign-in, how often it came since the last entry'),
  revision: field.revision.optional().describe('Revision of the stage that it made, or that was looked at'),
  subject: z
    .string()
    .optional()
    .describe(
      'To what else it was done: the id of a token, session, device code, user or passkey, or the email of an invitation, and after a blank the role; of a sign-in, also a failed one: by what; of a refusal: the endpoint and the code',
    ),
  requestId: z.string().optional(),
})

export type AuditEntry = z.output<typeof auditEntry>
