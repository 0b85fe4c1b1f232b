/** Who may do what: verbs, roles and grants, and the one function that decides (docs/access.md). */

/** What a grant allows, the least powerful first. */
export const verbs = ['list', 'read', 'write', 'approve', 'manage'] as const
/** What a grant allows. */
export type Verb = (typeof verbs)[number]

/** The verbs that a protected stage takes only from grants on the stage itself. */
export const guardedVerbs: readonly Verb[] = ['read', 'write', 'approve']

/** The built-in roles. An organization can add its own. */
export const builtInRoles = {
  /** Lists. */
  viewer: ['list'],
  /** Reads values too. */
  reader: ['list', 'read'],
  /** Writes too. */
  developer: ['list', 'read', 'write'],
  /** Approves changes too. */
  releaser: ['list', 'read', 'write', 'approve'],
  /** Manages too. */
  maintainer: ['list', 'read', 'write', 'approve', 'manage'],
} as const satisfies Record<string, readonly Verb[]>
/** The name of a built-in role. */
export type BuiltInRole = keyof typeof builtInRoles

/** The roles that a service token or a trust can have. To approve and to manage is for people. */
export const machineRoles = ['viewer', 'reader', 'developer'] as const satisfies readonly BuiltInRole[]
/** A role that a service token or a trust can have. */
export type MachineRole = (typeof machineRoles)[number]

/** The roles that an organization can give to all its members. */
export const defaultRoles = ['developer', 'viewer', 'none'] as const
/** A role that an organization gives to all its members. */
export type DefaultRole = (typeof defaultRoles)[number]

/** The organization if it names no project, a project if it names no stage, otherwise a stage. */
export interface Place {
  /** Slug of the project; absent: the whole organization. */
  readonly projectSlug?: string | undefined
  /** Slug of the stage; absent: the whole project. */
  readonly stageSlug?: string | undefined
}

/** A place where verbs are asked for. */
export interface GuardedPlace extends Place {
  /** Whether it is a protected stage. @default false */
  readonly isProtected?: boolean | undefined
}

/** Verbs that one principal has at a place and in what it contains. */
export interface VerbGrant extends Place {
  /** The verbs that it gives. */
  readonly verbs: readonly Verb[]
  /** When it ends, Unix time in milliseconds; absent: never. */
  readonly expiresAtMs?: number | undefined
}

/**
 * Returns whether the place is the same as `outer`, or within it. Never throws.
 *
 * @example
 * isWithin({ projectSlug: 'shop', stageSlug: 'dev' }, { projectSlug: 'shop' }) // true
 */
export function isWithin({ projectSlug, stageSlug }: Place, outer: Place): boolean {
  return (
    (outer.projectSlug === undefined || outer.projectSlug === projectSlug) &&
    (outer.stageSlug === undefined || outer.stageSlug === stageSlug)
  )
}

/** Returns whether a grant is still valid. It ends at the very millisecond. */
function isValid({ expiresAtMs }: VerbGrant, nowMs: number): boolean {
  return expiresAtMs === undefined || nowMs < expiresAtMs
}

/**
 * Returns whether a grant gives a verb at a place. Never throws.
 *
 * @example
 * const prod = { projectSlug: 'shop', stageSlug: 'prod' }
 * gives({ verbs: ['list', 'read'] }, 'read', prod, Date.now()) // true
 * gives({ verbs: ['list', 'read'] }, 'read', { ...prod, isProtected: true }, Date.now()) // false
 */
export function gives(grant: VerbGrant, verb: Verb, place: GuardedPlace, nowMs: number): boolean {
  return (
    grant.verbs.includes(verb) &&
    isWithin(place, grant) &&
    isValid(grant, nowMs) &&
    (place.isProtected !== true || grant.stageSlug !== undefined || !guardedVerbs.includes(verb))
  )
}

/**
 * Returns whether a principal with these grants may do something at a place: the grants on the organization, on the project and on
 * the stage add up. Never throws.
 *
 * @example
 * const grants = [{ verbs: builtInRoles.viewer }, { verbs: builtInRoles.developer, projectSlug: 'shop', stageSlug: 'dev' }]
 * allows(grants, 'write', { projectSlug: 'shop', stageSlug: 'dev' }, Date.now()) // true
 */
export function allows(grants: readonly VerbGrant[], verb: Verb, place: GuardedPlace, nowMs: number): boolean {
  return grants.some((grant) => gives(grant, verb, place, nowMs))
}

/**
 * Returns all verbs of a principal with these grants at a place, in the order of `verbs`. Never throws.
 *
 * @example
 * effectiveVerbs([{ verbs: ['list'] }], {}, Date.now()) // ['list']
 */
export function effectiveVerbs(grants: readonly VerbGrant[], place: GuardedPlace, nowMs: number): Verb[] {
  return verbs.filter((verb) => allows(grants, verb, place, nowMs))
}

/**
 * Returns whether a place exists for a principal with these grants: whether they have a verb there or in something within. Every
 * role contains `list`, which each place takes from the grants around it. Never throws.
 *
 * @example
 * isVisible([{ verbs: ['list'], projectSlug: 'shop', stageSlug: 'dev' }], { projectSlug: 'shop' }, Date.now()) // true
 */
export function isVisible(grants: readonly VerbGrant[], place: Place, nowMs: number): boolean {
  return grants.some((grant) => isValid(grant, nowMs) && (isWithin(place, grant) || isWithin(grant, place)))
}

/**
 * Returns the slugs of the stages of a project that exist for a principal with these grants, or 'all' if every stage does, also a later
 * one. Agrees with `isVisible`. Never throws.
 *
 * @example
 * visibleStages([{ verbs: ['list'], projectSlug: 'shop', stageSlug: 'dev' }], 'shop', Date.now()) // new Set(['dev'])
 */
export function visibleStages(
  grants: readonly VerbGrant[],
  projectSlug: string,
  nowMs: number,
): 'all' | ReadonlySet<string> {
  const slugs = new Set<string>()
  for (const grant of grants) {
    const isOutside = grant.projectSlug !== undefined && grant.projectSlug !== projectSlug
    if (isOutside || !isValid(grant, nowMs)) continue
    if (grant.stageSlug === undefined) return 'all'
    slugs.add(grant.stageSlug)
  }
  return slugs
}
