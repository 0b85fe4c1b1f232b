/** Events that webhooks tell (docs/notifications.md). */
import { z } from 'zod'
import { auditEntry } from './audit.ts'
import * as field from './fields.ts'

const descriptions = {
  'variables.changed': 'Values, chances, rules or other properties of variables changed, or variables were deleted',
  'declarations.changed': 'A project expects something else of its variables',
  'change.proposed': 'A change was proposed, and waits for approvals or its time',
  'change.edited': 'A proposed change has another content, which needs new approvals',
  'change.rescheduled': 'A proposed change has another time',
  'change.approved': 'A person approved a change',
  'change.rejected': 'A person requests changes of a proposal',
  'change.applied': 'A change was applied',
  'change.failed': 'A change could not be applied',
  'change.withdrawn': 'A proposed change was withdrawn',
  'ramp.stepped': 'A ramp took or skipped a step',
  'ramp.paused': 'A ramp paused',
  'ramp.resumed': 'A ramp goes on',
  'ramp.aborted': 'A ramp was ended before its last step',
  'member.invited': 'A person was invited to the organization',
  'member.added': 'A person became a member',
  'member.changed': 'A member has another role in the organization',
  'member.removed': 'A person left the organization or was removed',
  'access.changed':
    'Who may do what changed: grants, groups, roles, tokens, keys, trusts, or the protection of a stage',
  'token.expiring': 'A service token ends in seven days',
  'secret.due': 'A secret is due for another value',
  'roll.misfit': 'A roll serves another split than its chance',
  'hook.tested': 'Someone sent a test to this webhook; filters do not apply',
} as const satisfies Record<string, string>

/** A type of event. */
export type HookEventType = keyof typeof descriptions

/**
 * The types of events, each with what happened. A filter names types, or a group of them such as `change.*`.
 *
 * @example hookEventTypes['change.applied'] // 'A change was applied'
 */
export const hookEventTypes: Readonly<Record<HookEventType, string>> = descriptions

const types = Object.keys(hookEventTypes) as [HookEventType, ...HookEventType[]]
const groups = [...new Set(types.map((type) => `${type.split('.')[0] ?? ''}.*` as const))] as [string, ...string[]]

/** A type of event, or all whose names begin alike. */
export const hookFilter = z
  .enum([...types, ...groups])
  .describe('Type of event, or a group of them such as change.*')
  .meta({ id: 'HookFilter' })

/**
 * Returns whether an event of this type passes a filter. An empty list lets every event pass. Never throws.
 *
 * @example
 * passesFilter('change.applied', ['change.*']) // true
 */
export function passesFilter(type: HookEventType, filters: readonly string[]): boolean {
  return (
    filters.length === 0 ||
    filters.some((each) => each === type || (each.endsWith('.*') && type.startsWith(each.slice(0, -1))))
  )
}

/** What a webhook receives: the body of a Standard Webhooks message. It never has a value of a variable. */
export const hookEvent = z
  .object({
    type: z.enum(types).describe('What happened'),
    timestamp: z.string().describe('When it happened: ISO 8601, in UTC'),
    data: z
      .object({
        orgSlug: field.orgSlug.describe('Slug of the organization'),
        ...auditEntry.pick({
          projectSlug: true,
          stageSlug: true,
          names: true,
          nameCount: true,
          revision: true,
          actor: true,
          how: true,
          client: true,
          facts: true,
          requestId: true,
        }).shape,
        actions: z
          .array(auditEntry.shape.action)
          .describe('What was done, as the audit log names it; several if one revision created and updated variables'),
        url: z.string().describe('Page of the web application about it'),
      })
      .describe('What the entries of the audit log say about it'),
  })
  .meta({ id: 'HookEvent', description: 'What a webhook receives' })

/** What a webhook receives. */
export type HookEvent = z.output<typeof hookEvent>
