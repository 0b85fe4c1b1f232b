/** Who may approve changes of a protected stage. */
import type { Grant, Group, Principal, Role, StageSlugs } from '@rollkey/sdk/core'
import { keyOf } from './matrix.ts'

/** A group in which are the people of a group of the identity provider. */
interface ReportedGroup {
  readonly name: string
  readonly idpGroup: string
}

/** Those who may approve. Only a grant on the very stage counts. */
export interface Approvers {
  /** The people and groups with such a grant, each once. */
  readonly principals: readonly Principal[]
  /** Ids of the people, with those of the groups. */
  readonly people: ReadonlySet<string>
  /** Whether there may be more: the identity provider decides who is in one of the groups. */
  readonly mayBeMore: boolean
  /** These groups, with that of the provider. */
  readonly reported: readonly ReportedGroup[]
}

interface Rules {
  readonly grants: readonly Pick<Grant, 'principal' | 'role' | 'projectSlug' | 'stageSlug' | 'expiresAtMs'>[]
  readonly roles: readonly Role[]
  readonly groups: readonly Group[]
}

/** Returns who may approve on a stage. Credentials of machines approve nothing. */
export function approversOf(place: StageSlugs, rules: Rules, nowMs: number): Approvers {
  const approving = new Set(rules.roles.filter(({ verbs }) => verbs.includes('approve')).map(({ name }) => name))
  const granted = rules.grants.filter(
    (each) =>
      isOn(place, each) &&
      approving.has(each.role) &&
      (each.expiresAtMs === undefined || each.expiresAtMs > nowMs) &&
      (each.principal.kind === 'user' || each.principal.kind === 'group'),
  )
  const principals = [...new Map(granted.map(({ principal }) => [keyOf(principal), principal])).values()]
  const groups = principals
    .filter(({ kind }) => kind === 'group')
    .map(({ id }) => rules.groups.find((group) => group.id === id))
  const reported = groups.flatMap((group) =>
    group?.idpGroup === undefined ? [] : [{ name: group.name, idpGroup: group.idpGroup }],
  )
  const members = [...principals, ...groups.flatMap((group) => group?.members ?? [])]
  return {
    principals,
    people: new Set(members.filter(({ kind }) => kind === 'user').map(({ id }) => id)),
    mayBeMore: reported.length > 0,
    reported,
  }
}

/** What a stage requires of the approvals of a change. */
interface Required {
  readonly approvals: number
  readonly selfApproval: boolean
}

/** Returns whether one of those who may approve would wait in vain with a change of theirs. */
export function areTooFew(
  { people, mayBeMore }: Pick<Approvers, 'people' | 'mayBeMore'>,
  { approvals, selfApproval }: Required,
): boolean {
  return approvals > 0 && !mayBeMore && people.size - Number(!selfApproval) < approvals
}

/** Returns whether a grant is on the very stage. */
export function isOn({ projectSlug, stageSlug }: StageSlugs, grant: Pick<Grant, 'projectSlug' | 'stageSlug'>): boolean {
  return grant.projectSlug === projectSlug && grant.stageSlug === stageSlug
}
