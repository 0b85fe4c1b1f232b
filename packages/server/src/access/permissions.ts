/** What a caller may do in the organization. */
import {
  allows,
  builtInRoles,
  compareCodePoints,
  effectiveVerbs,
  isVisible,
  visibleStages,
  type Place,
  type Role,
  type Verb,
  type VerbGrant,
} from '@rollkey/contract'
import type { Caller } from '../auth/authenticate.ts'
import type { Policy } from './policy.ts'

/** What owners and admins can do, whatever is granted. */
export const ofAdmins: VerbGrant = { verbs: ['list', 'manage'] }

export class Permissions {
  readonly policy: Policy
  readonly grants: readonly VerbGrant[]
  readonly #nowMs: number

  constructor(policy: Policy, grants: readonly VerbGrant[], nowMs: number) {
    this.policy = policy
    this.grants = grants
    this.#nowMs = nowMs
  }

  /** Returns the permissions of a caller by grants. A member's role may add to them. */
  static of({ userId, session }: Pick<Caller, 'userId' | 'session'>, policy: Policy, nowMs: number): Permissions {
    const scope = session?.scope
    const { defaultRole } = policy
    // A trust has its role in the policy.
    if (scope?.trustId !== undefined) return new Permissions(policy, policy.grantsOf(`trust:${scope.trustId}`), nowMs)
    if (scope) {
      const ofToken = { projectSlug: scope.projectSlug, stageSlug: scope.stageSlug, verbs: builtInRoles[scope.role] }
      return new Permissions(policy, policy.grantsWith(`token:${session.id}`, ofToken), nowMs)
    }
    const ofMembers = defaultRole === 'none' ? undefined : { verbs: builtInRoles[defaultRole] }
    return new Permissions(policy, policy.grantsWith(`user:${userId}`, ofMembers), nowMs)
  }

  /** Returns the permissions of a member with this role. */
  withRole(role: Role): Permissions {
    return role === 'member' ? this : new Permissions(this.policy, [...this.grants, ofAdmins], this.#nowMs)
  }

  allows(verb: Verb, place: Place): boolean {
    return allows(this.grants, verb, this.policy.guarded(place), this.#nowMs)
  }

  /** Returns the verbs at a place, in the order of the contract. */
  verbsAt(place: Place): Verb[] {
    return effectiveVerbs(this.grants, this.policy.guarded(place), this.#nowMs)
  }

  /** Returns whether the place exists for the caller. */
  isVisible(place: Place): boolean {
    return isVisible(this.grants, place, this.#nowMs)
  }

  /** Returns the stages of a project that exist for the caller. */
  stagesOf(projectSlug: string): 'all' | ReadonlySet<string> {
    return visibleStages(this.grants, projectSlug, this.#nowMs)
  }

  /** Returns whether the caller has a verb anywhere. */
  allowsSomewhere(verb: Verb): boolean {
    return this.places().some((place) => this.allows(verb, place))
  }

  /** Returns the places of the grants, which are those where verbs can differ from what is around, and the protected stages. */
  places(): Place[] {
    const protectedStages = this.policy.protectedStages().filter((stage) => this.isVisible(stage))
    const all = [{}, ...this.grants, ...protectedStages].map(({ projectSlug, stageSlug }: Place) => ({
      projectSlug,
      stageSlug,
    }))
    return [...new Map(all.map((place) => [keyOf(place), place])).values()]
  }

  /** Returns the verbs in the organization, then at each project and stage where they differ from what is around it. */
  verbsByPlace(): (Place & { readonly verbs: Verb[] })[] {
    const differing = this.places()
      .filter(({ projectSlug }) => projectSlug !== undefined)
      .toSorted((a, b) => compareCodePoints(keyOf(a), keyOf(b)))
      .map((place) => ({ ...place, verbs: this.verbsAt(place) }))
      .filter(({ projectSlug, stageSlug, verbs }) => {
        const around = this.verbsAt(stageSlug === undefined ? {} : { projectSlug })
        return verbs.join() !== around.join()
      })
    return [{ verbs: this.verbsAt({}) }, ...differing]
  }

  /** Returns those of the verbs that the caller lacks at a place. */
  missing(wanted: readonly Verb[], place: Place): Verb[] {
    return wanted.filter((verb) => !this.allows(verb, place))
  }
}

function keyOf({ projectSlug = '', stageSlug = '' }: Place): string {
  return `${projectSlug}/${stageSlug}`
}
