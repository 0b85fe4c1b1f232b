/** The rules of an organization: who may do what (docs/access.md). A policy never changes; a change makes a new one. */
import {
  builtInRoles,
  noProtection,
  type BuiltInRole,
  type DefaultRole,
  type GuardedPlace,
  type Place,
  type Protection,
  type Verb,
  type VerbGrant,
} from '@rollkey/contract'
import { ApiError } from '../base/api-error.ts'
import type { ReportedGroups } from '../auth/reported-groups.ts'
import type { RequiredSignIn } from '../auth/sign-in.ts'
import type { PolicyRow } from '../storage/access.ts'

/** Who can have grants: `user:ID`, `group:ID`, `token:ID`, `trust:ID`, or `email:ADDRESS` for a person who has not joined yet. */
export type Principal = `${'user' | 'group' | 'token' | 'trust' | 'email'}:${string}`

/** A grant with the role that it gives. */
export interface PolicyGrant extends VerbGrant {
  readonly principal: Principal
  readonly role: string
  /** Whether it is the role of a trust itself, which lasts as long as the trust and is not granted by anyone. */
  readonly isOwn?: true
}

const noVerbs: readonly Verb[] = []

export class Policy implements RequiredSignIn {
  /** Id of the organization. */
  readonly id: string
  readonly accessRevision: number
  readonly defaultRole: DefaultRole
  /** The grants, and the roles of the trusts. */
  readonly grants: readonly PolicyGrant[]
  /** The roles that the organization added, with their verbs. */
  readonly roles: ReadonlyMap<string, readonly Verb[]>
  readonly isCompanyOnly: boolean
  readonly breakGlass: ReadonlySet<string>
  readonly needsSecondFactor: boolean
  /** Rows that it was made of. */
  readonly size: number
  /** The groups of each member. */
  readonly #groups: ReadonlyMap<string, readonly Principal[]>
  readonly #byPrincipal: ReadonlyMap<Principal, readonly PolicyGrant[]>
  /** What each protected stage requires of changes. */
  readonly #protected: ReadonlyMap<string, Protection>
  /** The groups whose members the identity provider reports, by what it calls them. */
  readonly #byIdpGroup: ReadonlyMap<string, Principal>
  readonly #isReported: ReadonlySet<Principal>
  /** As of when the last report about each member was applied. */
  readonly #reportedAtMs: ReadonlyMap<string, number>
  /** The grants of stages, once someone asks. */
  #byStage: ReadonlyMap<string, readonly PolicyGrant[]> | undefined
  /** What `grantsOf` and `grantsWith` have returned. */
  readonly #known = new Map<Principal, readonly PolicyGrant[]>()
  readonly #knownWith = new Map<Principal, readonly VerbGrant[]>()

  private constructor(id: string, organization: PolicyRow, rows: readonly PolicyRow[]) {
    const parts = Object.groupBy(rows, ({ part }) => part)
    const {
      grant = [],
      member = [],
      role = [],
      protected: stages = [],
      trust = [],
      report = [],
      'idp-group': idpGroup = [],
      'company-only': companyOnly = [],
      'break-glass': breakGlass = [],
      'second-factor': secondFactor = [],
    } = parts
    this.id = id
    this.accessRevision = organization.number ?? 0
    this.defaultRole = organization.detail as DefaultRole
    this.roles = new Map(role.map(({ subject, detail }) => [subject, detail.split(',') as Verb[]]))
    const own = trust.map((row) => ({
      ...this.#grantOf(row),
      principal: `trust:${row.subject}` as const,
      isOwn: true as const,
    }))
    this.grants = [...own, ...grant.map((row) => this.#grantOf(row))]
    this.#byPrincipal = Map.groupBy(this.grants, ({ principal }) => principal)
    const groups = Map.groupBy(member, ({ subject }) => subject)
    this.#groups = new Map(
      [...groups].map(([subject, of]) => [subject, of.map(({ detail }) => `group:${detail}` as const)]),
    )
    this.#protected = new Map(stages.map((row) => [keyOf(row), protectionIn(row.detail)]))
    this.#byIdpGroup = new Map(idpGroup.map(({ subject, detail }) => [subject, `group:${detail}`]))
    this.#isReported = new Set(this.#byIdpGroup.values())
    this.#reportedAtMs = new Map(report.map(({ subject, number }) => [subject, number ?? 0]))
    this.isCompanyOnly = companyOnly.length > 0
    this.breakGlass = new Set(breakGlass.map(({ subject }) => subject))
    this.needsSecondFactor = secondFactor.length > 0
    this.size = rows.length
  }

  /** Returns the policy of the rows; undefined if the organization was deleted. */
  static of(id: string, rows: readonly PolicyRow[]): Policy | undefined {
    const organization = rows.find(({ part }) => part === 'organization')
    return organization && new Policy(id, organization, rows)
  }

  #grantOf({ subject, project_slug, stage_slug, detail: role, number }: PolicyRow): PolicyGrant {
    return {
      principal: subject as Principal,
      role,
      verbs: this.verbsOf(role),
      ...(project_slug !== '' && { projectSlug: project_slug }),
      ...(stage_slug !== '' && { stageSlug: stage_slug }),
      ...(number !== null && { expiresAtMs: number }),
    }
  }

  /** Returns the verbs of a role; none if there is no such role. */
  verbsOf(role: string): readonly Verb[] {
    return Object.hasOwn(builtInRoles, role) ? builtInRoles[role as BuiltInRole] : (this.roles.get(role) ?? noVerbs)
  }

  hasRole(role: string): boolean {
    return Object.hasOwn(builtInRoles, role) || this.roles.has(role)
  }

  /** Throws INVALID_REQUEST unless the organization has the role. */
  assertRole(role: string): void {
    if (this.hasRole(role)) return
    const names = [...Object.keys(builtInRoles), ...this.roles.keys()]
    throw new ApiError('INVALID_REQUEST', `The organization has no role ${role}: choose one of ${names.join(', ')}.`)
  }

  /** Returns the groups of a user or an invited person. */
  groupsOf(principal: Principal): readonly Principal[] {
    return this.#groups.get(principal) ?? []
  }

  /** Returns whether the identity provider reports the members of a group. */
  isReported(group: Principal): boolean {
    return this.#isReported.has(group)
  }

  /** Returns whether the provider reports other groups of a member than those here, and no later report was applied. */
  isBehind(member: Principal, { names, asOfMs }: ReportedGroups): boolean {
    if (this.#byIdpGroup.size === 0 || asOfMs < (this.#reportedAtMs.get(member) ?? -Infinity)) return false
    const reported = new Set(names.map((name) => this.#byIdpGroup.get(name)).filter((group) => group !== undefined))
    const current = this.groupsOf(member).filter((group) => this.isReported(group))
    return current.length !== reported.size || current.some((group) => !reported.has(group))
  }

  /** Returns the members of a group. */
  membersOf(group: Principal): Principal[] {
    return [...this.#groups].filter(([, groups]) => groups.includes(group)).map(([member]) => member as Principal)
  }

  /** Returns the grants of a principal, also those of their groups. */
  grantsOf(principal: Principal): readonly PolicyGrant[] {
    const known = this.#known.get(principal)
    if (known) return known
    const grants = [principal, ...this.groupsOf(principal)].flatMap((each) => this.#byPrincipal.get(each) ?? [])
    this.#known.set(principal, grants)
    return grants
  }

  /** Returns the grants of a principal and what it has besides, which must be the same each time. */
  grantsWith(principal: Principal, besides: VerbGrant | undefined): readonly VerbGrant[] {
    const known = this.#knownWith.get(principal)
    if (known) return known
    const grants = besides ? [besides, ...this.grantsOf(principal)] : this.grantsOf(principal)
    this.#knownWith.set(principal, grants)
    return grants
  }

  /** Returns the grant of a principal at exactly this place. */
  grantAt(principal: Principal, { projectSlug, stageSlug }: Place): PolicyGrant | undefined {
    return this.#byPrincipal
      .get(principal)
      ?.find((grant) => !grant.isOwn && grant.projectSlug === projectSlug && grant.stageSlug === stageSlug)
  }

  /** Returns the grants on a stage itself. */
  grantsOn({ projectSlug, stageSlug }: Place): readonly PolicyGrant[] {
    this.#byStage ??= Map.groupBy(this.grants, (grant) => `${grant.projectSlug}/${grant.stageSlug}`)
    return this.#byStage.get(`${projectSlug}/${stageSlug}`) ?? []
  }

  /** Returns where a trust has its role, beyond which nothing reaches; undefined for other principals. */
  scopeOf(principal: Principal): Place | undefined {
    return this.#byPrincipal.get(principal)?.find(({ isOwn }) => isOwn)
  }

  isProtected({ projectSlug, stageSlug }: Place): boolean {
    return this.#protected.size > 0 && stageSlug !== undefined && this.#protected.has(`${projectSlug}/${stageSlug}`)
  }

  /** Returns what a stage requires of changes. */
  protectionOf({ projectSlug, stageSlug }: Place): Protection {
    return this.#protected.get(`${projectSlug}/${stageSlug}`) ?? noProtection
  }

  /** Returns the place with whether it is protected. */
  guarded({ projectSlug, stageSlug }: Place): GuardedPlace {
    return { projectSlug, stageSlug, isProtected: this.isProtected({ projectSlug, stageSlug }) }
  }

  /** Returns all protected stages. */
  protectedStages(): { readonly projectSlug: string; readonly stageSlug: string }[] {
    return [...this.#protected.keys()].map((key) => {
      const [projectSlug = '', stageSlug = ''] = key.split('/')
      return { projectSlug, stageSlug }
    })
  }
}

function keyOf({ project_slug: projectSlug, stage_slug: stageSlug }: PolicyRow): string {
  return `${projectSlug}/${stageSlug}`
}

function protectionIn(detail: string): Protection {
  return detail === '' ? noProtection : { ...noProtection, ...(JSON.parse(detail) as Protection) }
}
