/** The access page as rows and cells: what each principal may do at each place, and what gives it. */
import {
  builtInRoles,
  effectiveVerbs,
  gives,
  type GuardedPlace,
  isVisible,
  type Place,
  type Verb,
  type VerbGrant,
  verbs as allVerbs,
} from '@rollkey/contract/rules'
import type { Grant, Group, Principal, Role } from '@rollkey/sdk/core'
import type { Role as MemberRole } from '../../lib/roles.ts'
import { placeName } from '../projects/labels.ts'

/** Someone or something that can have access, as the page names it. */
export interface Named {
  readonly principal: Principal
  readonly name: string
  /** Second line: the email of a person. */
  readonly detail?: string
  /** Role of a member in the organization. */
  readonly memberRole?: MemberRole
  /** What a service token may do by itself. */
  readonly token?: Place & { readonly role: string }
}

/** What gives verbs: a grant, the membership or the role of a service token. */
export interface Source extends VerbGrant {
  readonly from: 'default' | 'owner' | 'admin' | 'token' | 'grant'
  /** Absent for owners and admins, who have verbs without a role. */
  readonly role?: string
  /** The group that has the grant. */
  readonly group?: Group
}

/** What a principal may do at a place. */
export interface Cell {
  /** The grant of the principal itself at this very place. */
  readonly direct: Source | undefined
  /** Everything else that applies here and gives at least one verb. */
  readonly inherited: readonly Source[]
  readonly verbs: readonly Verb[]
}

/** What the page knows about the access of an organization. */
export interface Rules {
  readonly defaultRole: string
  readonly grants: readonly Grant[]
  readonly roles: readonly Role[]
  readonly groups: readonly Group[]
}

export function keyOf({ kind, id }: Principal): string {
  return `${kind}:${id}`
}

/** Returns the key of the focus for what a principal may do at a place. */
export function accessFocus(principal: Principal, place: Place): string {
  return `access/${keyOf(principal)}/${placeName(place)}`
}

/** Verbs that owners and admins have in the organization. */
const ofAdmins: readonly Verb[] = ['list', 'manage']

/** Returns a function that returns everything that gives a principal verbs, wherever that is. */
export function sourcesBy({ defaultRole, grants, roles, groups }: Rules): (named: Named) => readonly Source[] {
  const verbsOf = new Map(roles.map(({ name, verbs }) => [name, verbs]))
  const grantsOf = Map.groupBy(grants, ({ principal }) => keyOf(principal))
  const groupsOf = Map.groupBy(
    groups.flatMap((group) => group.members.map((member) => ({ member: keyOf(member), group }))),
    ({ member }) => member,
  )
  const granted = (key: string, group?: Group): Source[] =>
    (grantsOf.get(key) ?? []).map(({ projectSlug, stageSlug, role, expiresAtMs }) => ({
      from: 'grant',
      projectSlug,
      stageSlug,
      role,
      verbs: verbsOf.get(role) ?? [],
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(group && { group }),
    }))
  return ({ principal, memberRole, token }) => {
    const key = keyOf(principal)
    return [
      ...granted(key),
      ...(groupsOf.get(key) ?? []).flatMap(({ group }) => granted(keyOf({ kind: 'group', id: group.id }), group)),
      ...(token ? [{ ...token, from: 'token', verbs: verbsOf.get(token.role) ?? [] } as const] : []),
      ...(memberRole !== undefined && defaultRole !== 'none'
        ? [{ from: 'default', role: defaultRole, verbs: verbsOf.get(defaultRole) ?? [] } as const]
        : []),
      ...(memberRole === 'owner' || memberRole === 'admin' ? [{ from: memberRole, verbs: ofAdmins } as const] : []),
    ]
  }
}

/** Returns what applies at a place. */
export function cellOf(sources: readonly Source[], place: GuardedPlace, nowMs: number): Cell {
  const applying = sources.filter((source) => allVerbs.some((verb) => gives(source, verb, place, nowMs)))
  const direct = applying.find(
    ({ from, group, projectSlug, stageSlug }) =>
      from === 'grant' && !group && projectSlug === place.projectSlug && stageSlug === place.stageSlug,
  )
  return {
    direct,
    inherited: applying.filter((source) => source !== direct),
    verbs: effectiveVerbs(applying, place, nowMs),
  }
}

/** Returns whether something in the place is visible with these sources. */
export function hasAccess(sources: readonly Source[], place: Place, nowMs: number): boolean {
  return isVisible(sources, place, nowMs)
}

/** A name for verbs. */
interface NamedVerbs {
  /** Undefined: not even the weakest role is within them. */
  readonly role: string | undefined
  /** What gives the role; undefined: nothing gives all of it, and it only names the verbs. */
  readonly source: Source | undefined
  /** The verbs beyond the role. */
  readonly more: readonly Verb[]
}

/** Returns the role of a cell: that of the direct grant, else the strongest that is granted, a grant on the very place first. */
export function roleOf({ direct, inherited, verbs }: Cell, { stageSlug }: Place): NamedVerbs {
  const source =
    direct ??
    inherited
      .filter((each) => each.role !== undefined && each.verbs.every((verb) => verbs.includes(verb)))
      .toSorted(
        (one, other) =>
          other.verbs.length - one.verbs.length ||
          Number(other.stageSlug === stageSlug) - Number(one.stageSlug === stageSlug),
      )[0]
  if (source?.role === undefined) return { ...roleWithin(verbs), source: undefined }
  return { role: source.role, source, more: verbs.filter((verb) => !source.verbs.includes(verb)) }
}

/** Returns the strongest built-in role within the verbs, and the verbs that it lacks. */
function roleWithin(verbs: readonly Verb[]): Pick<NamedVerbs, 'role' | 'more'> {
  const roles = Object.entries(builtInRoles) as [string, readonly Verb[]][]
  const [role, has] = roles.findLast(([, each]) => each.every((verb) => verbs.includes(verb))) ?? []
  return { role, more: verbs.filter((verb) => has?.includes(verb) !== true) }
}

/** Places where a principal may do the same. */
export interface Line<P, S> {
  readonly shown: S
  readonly places: readonly P[]
  /** Whether these are all places that no other line names. */
  readonly isRest: boolean
}

/**
 * Returns the places by what is shown of them, those that most share last. What is around them precedes them if something is
 * granted there, or if none of them has the same verbs.
 */
export function linesOf<P, S extends Pick<Cell, 'direct' | 'verbs'> & { role: string; details: readonly string[] }>(
  around: P,
  places: readonly P[],
  shownAt: (place: P) => S,
): Line<P, S>[] {
  const whole = shownAt(around)
  const groups = Map.groupBy(
    places.map((place) => ({ place, shown: shownAt(place) })),
    ({ shown: { role, details, verbs } }) => JSON.stringify([role, details, verbs]),
  )
  const lines = [...groups.values()].flatMap((group) =>
    group[0] ? [{ shown: group[0].shown, places: group.map(({ place }) => place) }] : [],
  )
  const most = lines.toSorted((a, b) => b.places.length - a.places.length)[0]
  const isCovered = lines.some(({ shown }) => shown.verbs.join() === whole.verbs.join())
  return [
    ...(whole.direct || !isCovered ? [{ shown: whole, places: [around], isRest: false }] : []),
    ...lines.filter((line) => line !== most).map((line) => ({ ...line, isRest: false })),
    ...(most ? [{ ...most, isRest: true }] : []),
  ]
}
