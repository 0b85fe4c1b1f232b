/** Who had a verb on a stage at a time: the present rules, from which the changes since then are undone, as the audit log has them. */
import { gives, isWithin, type Place, type Response, type Verb } from '@rollkey/contract'
import { ApiError, deletedOrganization } from '../base/api-error.ts'
import type { Clock } from '../base/clock.ts'
import { noPlace } from '../base/place-name.ts'
import { policyRows, stageCreatedAt, type PolicyRow } from '../storage/access.ts'
import { accessEntriesAfter, type AccessEntry } from '../storage/audit.ts'
import { serviceTokensAt, type ServiceTokenRow } from '../storage/service-tokens.ts'
import type { Reader } from '../storage/sql.ts'
import { Policy } from './policy.ts'
import { accessFacts } from './access-facts.ts'
import { namedPrincipal } from './principals.ts'

type Holders = Response<'accessHolders'>
type Holder = Holders['holders'][number]

interface Question {
  readonly projectSlug: string
  readonly stageSlug: string
  readonly verb: Verb
  readonly atMs?: number | undefined
}

export class AccessHistory {
  readonly #sql: Reader
  readonly #clock: Clock

  constructor({ sql, clock }: { sql: Reader; clock: Clock }) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Throws NOT_FOUND if the stage did not exist, and INVALID_REQUEST if the audit log does not go back to the time. */
  async holders(orgId: string, { projectSlug, stageSlug, verb, atMs = this.#clock.now() }: Question): Promise<Holders> {
    const stage = { projectSlug, stageSlug }
    const createdAtMs = await stageCreatedAt(this.#sql, orgId, projectSlug, stageSlug)
    if (createdAtMs === undefined) throw noPlace(stage)
    if (createdAtMs > atMs) throw new ApiError('NOT_FOUND', 'The stage did not exist at that time: choose a later one.')
    const present = await policyRows(this.#sql, orgId)
    const policy = Policy.of(orgId, rowsBefore(present, await accessEntriesAfter(this.#sql, orgId, atMs)))
    if (!policy) throw deletedOrganization()
    const place = policy.guarded(stage)
    const tokens = await serviceTokensAt(this.#sql, orgId, atMs)
    const reaching = new Set(tokens.filter((token) => isWithin(stage, scopeOf(token))).map(({ id }) => id))
    const holders: Holder[] = policy.grants.flatMap((grant): Holder[] => {
      if (!gives(grant, verb, place, atMs)) return []
      const { principal, role, projectSlug: project, stageSlug: at } = grant
      const source = { projectSlug: project, stageSlug: at, role }
      const { kind, id } = namedPrincipal(principal)
      if (kind === 'token' && !reaching.has(id)) return []
      if (kind === 'trust' && !isWithin(stage, policy.scopeOf(principal) ?? {})) return []
      if (kind !== 'group') return [{ principal: { kind, id }, ...source }]
      return policy.membersOf(principal).map((member) => ({ principal: namedPrincipal(member), via: id, ...source }))
    })
    for (const token of tokens) {
      const source = scopeOf(token)
      if (gives({ ...source, verbs: policy.verbsOf(token.role) }, verb, place, atMs))
        holders.push({ principal: { kind: 'token', id: token.id }, ...source, role: token.role })
    }
    return {
      atMs,
      isProtected: place.isProtected === true,
      members: gives({ verbs: policy.verbsOf(policy.defaultRole) }, verb, place, atMs),
      holders,
    }
  }
}

function scopeOf({ project_slug, stage_slug }: Pick<ServiceTokenRow, 'project_slug' | 'stage_slug'>): Place {
  return { projectSlug: project_slug ?? undefined, stageSlug: stage_slug ?? undefined }
}

function keyOf({ part, subject, project_slug, stage_slug, detail }: PolicyRow): string {
  if (part === 'member') return [part, detail, subject].join('\n')
  return [part, subject, project_slug, stage_slug].join('\n')
}

/** Returns the rules from before the changes, which are the newest first. */
function rowsBefore(present: readonly PolicyRow[], changes: readonly AccessEntry[]): PolicyRow[] {
  const rows = new Map(present.map((row) => [keyOf(row), row]))
  for (const change of changes) {
    if (change.how === '')
      throw new ApiError(
        'INVALID_REQUEST',
        'The audit log does not have the details of changes from that time anymore: choose a later time.',
      )
    undo(rows, change)
  }
  return [...rows.values()]
}

function undo(rows: Map<string, PolicyRow>, { action, project_slug, stage_slug, subject }: AccessEntry): void {
  const empty = { project_slug: project_slug ?? '', stage_slug: stage_slug ?? '', detail: '', number: null }
  const set = (row: PolicyRow, exists: boolean): void => {
    if (exists) rows.set(keyOf(row), row)
    else rows.delete(keyOf(row))
  }
  const { before, principal, groupId, role, trustId } = accessFacts(action, subject)
  switch (action) {
    case 'access.grant':
    case 'access.revoke':
      set(
        {
          part: 'grant',
          subject: principal,
          ...empty,
          detail: before?.role ?? '',
          number: before?.expiresAtMs ?? null,
        },
        before !== undefined,
      )
      break
    case 'group.join':
    case 'group.leave':
      set({ part: 'member', subject: principal, ...empty, detail: groupId }, action === 'group.leave')
      break
    case 'role.set':
    case 'role.delete':
      set({ part: 'role', subject: role, ...empty, detail: before?.verbs?.join() ?? '' }, before !== undefined)
      break
    case 'trust.create':
      set({ part: 'trust', subject: trustId, ...empty }, false)
      break
    case 'trust.update':
    case 'trust.delete':
      if (before?.role !== undefined) set({ part: 'trust', subject: trustId, ...empty, detail: before.role }, true)
      break
    case 'stage.protect':
      set({ part: 'protected', subject: '', ...empty }, before?.isProtected === true)
      break
    default: {
      const organization = rows.get(keyOf({ part: 'organization', subject: '', ...empty }))
      if (organization && before?.defaultRole !== undefined) set({ ...organization, detail: before.defaultRole }, true)
    }
  }
}
