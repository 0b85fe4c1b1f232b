/** Who may approve changes of a protected stage, from what lists of access, roles and groups answer. */
import type { Place, Verb } from './access.ts'

/** A person, a group or a machine. */
export interface ApprovingPrincipal {
  /** Its kind: `user`, `group`, `token`, `trust` or `email`. */
  readonly kind: string
  /** Its id, unique within its kind. */
  readonly id: string
}

/** A role of a principal at a place. */
export interface ApprovingGrant extends Place {
  /** Who has it. */
  readonly principal: ApprovingPrincipal
  /** The name of the role. */
  readonly role: string
  /** When it ends, Unix time in milliseconds; absent: never. */
  readonly expiresAtMs?: number | undefined
}

/** What decides who may approve. */
export interface ApproverRules<G extends ApprovingGrant> {
  /** The grants of the stage; others may be among them. */
  readonly grants: readonly G[]
  /** All roles of the organization. */
  readonly roles: readonly {
    /** The name of the role. */
    readonly name: string
    /** What the role gives. */
    readonly verbs: readonly Verb[]
  }[]
  /** All groups of the organization. */
  readonly groups: readonly {
    /** The id of the group. */
    readonly id: string
    /** The name of the group. */
    readonly name: string
    /** The group of the identity provider; absent: its people are kept here. */
    readonly idpGroup?: string | undefined
    /** Its people. */
    readonly members: readonly ApprovingPrincipal[]
  }[]
}

/** A group of which only the identity provider knows who is in it. */
export interface ReportedGroup {
  /** The name of the group. */
  readonly name: string
  /** The group of the identity provider. */
  readonly idpGroup: string
}

/** Those who may approve on a stage. */
export interface Approvers<P = ApprovingPrincipal> {
  /** The people and groups with a grant for it, each once. */
  readonly principals: readonly P[]
  /** Ids of the people, with those of the groups. */
  readonly people: ReadonlySet<string>
  /** Groups of which only the identity provider knows who is in them, so there may be more people. */
  readonly reported: readonly ReportedGroup[]
}

/**
 * Returns who may approve on a protected stage: only grants on the stage itself count, and machines approve nothing. Never throws.
 *
 * @param nowMs Unix time in milliseconds, at which grants have ended or not.
 * @example
 * const releaser = { name: 'releaser', verbs: ['approve' as const] }
 * const grant = { principal: { kind: 'user', id: 'ada' }, role: 'releaser', projectSlug: 'shop', stageSlug: 'prod' }
 * approversOf({ projectSlug: 'shop', stageSlug: 'prod' }, { grants: [grant], roles: [releaser], groups: [] }, Date.now()).people.size // 1
 */
export function approversOf<G extends ApprovingGrant>(
  { projectSlug, stageSlug }: Required<Place>,
  { grants, roles, groups }: ApproverRules<G>,
  nowMs: number,
): Approvers<G['principal']> {
  const approving = new Set(roles.filter(({ verbs }) => verbs.includes('approve')).map(({ name }) => name))
  const granted = grants.filter(
    (each) =>
      each.projectSlug === projectSlug &&
      each.stageSlug === stageSlug &&
      approving.has(each.role) &&
      (each.expiresAtMs === undefined || each.expiresAtMs > nowMs) &&
      (each.principal.kind === 'user' || each.principal.kind === 'group'),
  )
  const principals = new Map(granted.map(({ principal }) => [`${principal.kind}:${principal.id}`, principal]))
  const theirs = groups.filter(({ id }) => principals.has(`group:${id}`))
  const members = [...principals.values(), ...theirs.flatMap((group) => group.members)]
  return {
    principals: [...principals.values()],
    people: new Set(members.filter(({ kind }) => kind === 'user').map(({ id }) => id)),
    reported: theirs.flatMap(({ name, idpGroup }) => (idpGroup === undefined ? [] : [{ name, idpGroup }])),
  }
}

/** What a stage requires of the approvals of a change. */
export interface RequiredApprovals {
  /** How many people must approve. */
  readonly approvals: number
  /** Whether people may approve their own changes. */
  readonly selfApproval: boolean
}

/**
 * Returns whether one of those who may approve would wait in vain with a change of theirs. False if there may be more of them. Never throws.
 *
 * @example
 * areTooFew({ people: new Set(['ada']), reported: [] }, { approvals: 1, selfApproval: false }) // true
 */
export function areTooFew(
  { people, reported }: Pick<Approvers, 'people' | 'reported'>,
  { approvals, selfApproval }: RequiredApprovals,
): boolean {
  return approvals > 0 && reported.length === 0 && people.size - Number(!selfApproval) < approvals
}
