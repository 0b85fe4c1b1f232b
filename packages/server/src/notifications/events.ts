/**
 * Which events the entries of an audit log are. The audit log is written in the transaction of what it tells, and has no gaps, so a
 * reader that goes through it in order learns of everything, once, and of nothing that was rolled back.
 */
import type { AuditAction, HookEvent, HookEventType } from '@rollkey/contract'
import { entryOf } from '../audit/audit-log.ts'
import type { AuditRow } from '../storage/audit.ts'

/** The event of each action; undefined for actions that change nothing that others have to learn of. */
const typeOf: Readonly<Record<AuditAction, HookEventType | undefined>> = {
  'variable.create': 'variables.changed',
  'variable.update': 'variables.changed',
  'variable.delete': 'variables.changed',
  'variable.expose': 'variables.changed',
  write: 'variables.changed',
  chance: 'variables.changed',
  copy: 'variables.changed',
  restore: 'variables.changed',
  'declaration.set': 'declarations.changed',
  'declaration.delete': 'declarations.changed',
  'change.propose': 'change.proposed',
  'change.edit': 'change.edited',
  'change.reschedule': 'change.rescheduled',
  'change.approve': 'change.approved',
  'change.reject': 'change.rejected',
  'change.apply': 'change.applied',
  'change.fail': 'change.failed',
  'change.withdraw': 'change.withdrawn',
  'change.step': 'ramp.stepped',
  'change.skip': 'ramp.stepped',
  'change.pause': 'ramp.paused',
  'change.resume': 'ramp.resumed',
  'change.abort': 'ramp.aborted',
  'invitation.create': 'member.invited',
  'invitation.accept': undefined,
  'invitation.reject': undefined,
  'invitation.cancel': undefined,
  'member.add': 'member.added',
  'member.role': 'member.changed',
  'member.remove': 'member.removed',
  'access.grant': 'access.changed',
  'access.revoke': 'access.changed',
  'group.create': 'access.changed',
  'group.update': 'access.changed',
  'group.delete': 'access.changed',
  'group.join': 'access.changed',
  'group.leave': 'access.changed',
  'role.set': 'access.changed',
  'role.delete': 'access.changed',
  'token.create': 'access.changed',
  'token.rotate': 'access.changed',
  'token.revoke': 'access.changed',
  'token.expiring': 'token.expiring',
  'secret.due': 'secret.due',
  'roll.misfit': 'roll.misfit',
  'trust.create': 'access.changed',
  'trust.update': 'access.changed',
  'trust.delete': 'access.changed',
  'client-key.create': 'access.changed',
  'client-key.revoke': 'access.changed',
  'stage.protect': 'access.changed',
  'stage.rules': 'access.changed',
  'organization.update': 'access.changed',
  'hook.create': 'access.changed',
  'hook.update': 'access.changed',
  'hook.rotate': 'access.changed',
  'hook.off': 'access.changed',
  'hook.delete': 'access.changed',
  // A stage that is deleted ends its variables.
  'stage.delete': 'variables.changed',
  'project.delete': 'variables.changed',
  'stage.create': undefined,
  'stage.update': undefined,
  'stage.order': undefined,
  'project.create': undefined,
  'project.update': undefined,
  'organization.create': undefined,
  'organization.delete': undefined,
  reveal: undefined,
  export: undefined,
  refusal: undefined,
  'trust.exchange': undefined,
  'device.approve': undefined,
  'device.deny': undefined,
  'device.exchange': undefined,
  'session.refresh': undefined,
  'session.confirm': undefined,
  'session.revoke': undefined,
  logout: undefined,
  setup: undefined,
  'sign-in': undefined,
  'sign-in.failed': undefined,
  'sign-out': undefined,
  'email.change': undefined,
  'password.change': undefined,
  'password.reset': undefined,
  'password.link': undefined,
  'passkey.add': undefined,
  'passkey.remove': undefined,
  'second-factor.add': undefined,
  'second-factor.codes': undefined,
  'second-factor.remove': undefined,
  'sign-in-method.add': undefined,
  'sign-in-method.remove': undefined,
  'signing-keys.revoke': undefined,
  'key.rotate': undefined,
  'key.rewrap': undefined,
  'backup.restore': undefined,
}

/** An event, and the last entry of the audit log that it tells. */
export interface ReadEvent {
  /** The same at each reading. */
  readonly id: string
  readonly seq: number
  readonly event: HookEvent
}

/** The organization of a log, and where people find what it is about. */
export interface LogPlace {
  readonly orgId: string
  readonly orgSlug: string
  readonly publicUrl: string
}

/**
 * Returns the events of consecutive entries, in their order. What one revision did to variables is one event, though it has an entry for
 * those it created and another for those it updated. Entries whose details were deleted tell nothing.
 */
export function eventsOf(place: LogPlace, rows: readonly AuditRow[]): ReadEvent[] {
  const runs: AuditRow[][] = []
  for (const row of rows) {
    if (row.how === '' || typeOf[row.action] === undefined) continue
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run && before && isOneEvent(before, row)) run.push(row)
    else runs.push([row])
  }
  return runs.map((run) => eventOf(place, run))
}

/**
 * Returns the entries that can be sent now: all but those at the end of a full page whose revision may go on in the next page.
 */
export function tellable(rows: readonly AuditRow[], pageSize: number): readonly AuditRow[] {
  if (rows.length < pageSize) return rows
  const end = rows.findLastIndex((row, index) => index > 0 && !isOneEvent(rows[index - 1] as AuditRow, row))
  return end === -1 ? rows : rows.slice(0, end)
}

/** Returns whether two entries, one after the other, tell what one revision did to variables. */
function isOneEvent(a: AuditRow, b: AuditRow): boolean {
  return (
    b.seq === a.seq + 1 &&
    typeOf[a.action] === 'variables.changed' &&
    typeOf[b.action] === 'variables.changed' &&
    a.revision !== null &&
    a.revision === b.revision &&
    a.project_slug === b.project_slug &&
    a.stage_slug === b.stage_slug
  )
}

function eventOf(place: LogPlace, run: readonly AuditRow[]): ReadEvent {
  const [first, last] = [run[0], run.at(-1)] as [AuditRow, AuditRow]
  const type = typeOf[first.action] as HookEventType
  const entries = run.map(entryOf)
  const { seq: _, atMs, action: __, names, nameCount: ___, ...about } = entries[0] as (typeof entries)[0]
  const all = new Set(entries.flatMap((entry) => entry.names ?? []))
  const counts = entries.reduce((sum, entry) => sum + (entry.nameCount ?? 0), 0)
  const hasAllNames = names !== undefined && entries.every((entry) => entry.names !== undefined)
  return {
    id: `evt_${place.orgId}_${first.seq}`,
    seq: last.seq,
    event: {
      type,
      timestamp: new Date(atMs).toISOString(),
      data: {
        orgSlug: place.orgSlug,
        ...about,
        ...(hasAllNames && { names: [...all] }),
        ...(counts > 0 && { nameCount: hasAllNames ? all.size : counts }),
        actions: [...new Set(entries.map(({ action }) => action))],
        url: pageOf(place, type, { ...about, names }),
      },
    },
  }
}

/** Returns the address of the page about an event. */
function pageOf(
  { publicUrl, orgSlug }: LogPlace,
  type: HookEventType,
  { projectSlug, stageSlug, facts, names }: Pick<HookEvent['data'], 'projectSlug' | 'stageSlug' | 'facts' | 'names'>,
): string {
  const organization = `${publicUrl}/o/${encodeURIComponent(orgSlug)}`
  if (facts?.changeId !== undefined && projectSlug !== undefined && stageSlug !== undefined) {
    const stage = new URLSearchParams({ project: projectSlug, stage: stageSlug }).toString()
    return `${organization}/changes/${encodeURIComponent(facts.changeId)}?${stage}`
  }
  if (type.startsWith('member.')) return `${organization}/members`
  if (projectSlug === undefined || type === 'access.changed' || type === 'token.expiring')
    return `${organization}/audit`
  const project = `${organization}/p/${encodeURIComponent(projectSlug)}`
  if (type === 'secret.due') return project
  if (type === 'roll.misfit')
    return `${project}/roll?${new URLSearchParams({ stage: stageSlug ?? '', name: names?.[0] ?? '' }).toString()}`
  return stageSlug === undefined
    ? project
    : `${project}/history?${new URLSearchParams({ stage: stageSlug }).toString()}`
}
