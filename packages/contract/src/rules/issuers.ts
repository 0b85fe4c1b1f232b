/**
 * Whom the service can believe when a token of another service is exchanged (docs/trusts.md): well-known issuers, the claims that
 * tell one of their customers from another, and how the claims of a token are compared.
 */

/** A claim that a token must have. */
export interface RequiredClaim {
  /** Name of the claim, or the path of a nested one with dots. */
  readonly name: string
  /** Text that it must equal; with `*` at its end, a text with which it must begin. */
  readonly value: string
}

/** An issuer that is the same for every installation of Rollkey. */
export interface WellKnownIssuer {
  /** What people call the platform. */
  readonly title: string
  /** Matches the issuer as a whole. */
  readonly pattern: RegExp
  /** The claims of which a trust must name one exactly, since all customers of the platform share its keys. Ids, where it has them. */
  readonly identifying: readonly string[]
}

/** The well-known issuers. */
export const wellKnownIssuers: readonly WellKnownIssuer[] = [
  {
    title: 'GitHub Actions',
    // An enterprise can add its slug (docs.github.com/actions/reference/security/oidc).
    pattern: /^https:\/\/token\.actions\.githubusercontent\.com(\/[A-Za-z0-9-]{1,64})?$/,
    identifying: ['repository_id', 'repository_owner_id', 'enterprise_id'],
  },
  {
    title: 'GitLab.com',
    pattern: /^https:\/\/gitlab\.com$/,
    identifying: ['project_id', 'namespace_id'],
  },
  {
    title: 'CircleCI',
    pattern: /^https:\/\/oidc\.circleci\.com\/org\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    identifying: ['oidc.circleci.com/project-id', 'oidc.circleci.com/org-id', 'oidc.circleci.com/context-ids', 'sub'],
  },
  {
    title: 'Buildkite',
    pattern: /^https:\/\/agent\.buildkite\.com$/,
    identifying: ['organization_id', 'organization_slug', 'pipeline_id', 'cluster_id'],
  },
  {
    title: 'Bitbucket Pipelines',
    pattern: /^https:\/\/api\.bitbucket\.org\/2\.0\/workspaces\/[A-Za-z0-9_-]{1,64}\/pipelines-config\/identity\/oidc$/,
    identifying: ['repositoryUuid', 'workspaceUuid', 'deploymentEnvironmentUuid'],
  },
  {
    title: 'Google',
    pattern: /^https:\/\/accounts\.google\.com$/,
    identifying: ['sub', 'email'],
  },
  {
    title: 'Vercel',
    pattern: /^https:\/\/oidc\.vercel\.com(\/[a-z0-9-]{1,64})?$/,
    identifying: ['owner_id', 'project_id'],
  },
]

/**
 * Returns the well-known issuer; undefined if it is none. Never throws.
 *
 * @example
 * wellKnownIssuer('https://gitlab.com')?.title // 'GitLab.com'
 */
export function wellKnownIssuer(issuer: string): WellKnownIssuer | undefined {
  return wellKnownIssuers.find(({ pattern }) => pattern.test(issuer))
}

/** Claims that every token has and that the service checks itself. */
const checkedClaims = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti']

/** Claims that say how something ran, not what: at most issuers, workloads of all teams have the same. */
const circumstances = new Set([
  'ref',
  'ref_type',
  'ref_protected',
  'ref_path',
  'base_ref',
  'head_ref',
  'event_name',
  'environment',
  'environment_protected',
  'deployment_tier',
  'pipeline_source',
  'runner_environment',
  'repository_visibility',
  'project_visibility',
  'build_branch',
  'build_tag',
  'build_source',
  'branchName',
  'email_verified',
])

/** Returns whether a claim must begin with its value instead of being equal to it. */
function isPrefix({ value }: RequiredClaim): boolean {
  return value.endsWith('*')
}

/**
 * Returns what is wrong with the claims of a trust, as a sentence for people; undefined if nothing is. Never throws.
 *
 * @example
 * claimsProblem('https://gitlab.com', [{ name: 'ref_protected', value: 'true' }])
 * // 'GitLab.com signs the tokens of all its customers with the same keys: …'
 */
export function claimsProblem(issuer: string, claims: readonly RequiredClaim[]): string | undefined {
  const names = claims.map(({ name }) => name)
  const checked = names.find((name) => checkedClaims.includes(name))
  if (checked !== undefined)
    return `A trust cannot require the claim ${checked}, which the service checks itself: leave it out.`
  if (new Set(names).size < names.length) return 'The trust requires a claim twice: name each claim once.'
  if (claims.some(({ value }) => value.slice(0, -1).includes('*') || value === '*'))
    return 'A claim has "*" in the middle, or no other text (expected one "*" at the end of a text): correct it.'
  if (claims.filter(isPrefix).length > 1)
    return 'More than one claim ends with "*" (maximum one): state the others exactly.'
  const exact = claims.filter((claim) => !isPrefix(claim)).map(({ name }) => name)
  const known = wellKnownIssuer(issuer)
  if (!known) {
    if (names.some((name) => !circumstances.has(name))) return undefined
    return 'The claims do not say which workload is meant, only how it runs: add one that names it, such as the id of its repository or its subject.'
  }
  if (exact.some((name) => known.identifying.includes(name))) return undefined
  if (known.title === 'GitHub Actions' && names.includes('sub'))
    return 'GitHub changed the format of sub in 2026, and it contains names that can be taken over after a rename: require repository_id or repository_owner_id exactly.'
  return `${known.title} signs the tokens of all its customers with the same keys: require one of ${known.identifying.join(', ')} exactly.`
}

/** Returns own properties only, so that no claim is found on a prototype. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/**
 * Returns a claim by its name or, if there is none of that name, at that path with dots; undefined if the token does not have it.
 * Never throws.
 *
 * @example
 * claimOf({ sub: 'a', google: { project: 'b' } }, 'google.project') // 'b'
 */
export function claimOf(payload: object, name: string): unknown {
  const own = memberOf(payload, name)
  return own === undefined ? name.split('.').reduce<unknown>(memberOf, payload) : own
}

/** Returns a text, a boolean or a number as a text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || typeof value === 'number' ? JSON.stringify(value) : undefined
}

/**
 * Returns whether the claim of a token is what a trust requires. A boolean or number compares by its JSON text, and a list matches
 * if one of its texts does. Never throws.
 *
 * @example
 * matchesClaim({ name: 'ref', value: 'refs/tags/*' }, 'refs/tags/v1') // true
 */
export function matchesClaim(required: RequiredClaim, actual: unknown): boolean {
  const prefix = isPrefix(required) ? required.value.slice(0, -1) : undefined
  const matches = (value: unknown): boolean => {
    const text = textOf(value)
    if (text === undefined) return false
    return prefix === undefined ? text === required.value : text.startsWith(prefix)
  }
  return Array.isArray(actual) ? actual.some(matches) : matches(actual)
}

/**
 * Returns whether a token belongs to a run for a change that someone proposes, who may be anyone: a pull request at GitHub, Forgejo,
 * Gitea or CircleCI, or a merge request from a fork at GitLab. Never throws.
 *
 * A token of GitLab names a fork as its project, and the project that runs it as `job_project_id`
 * (gitlab.com/gitlab-org/gitlab/-/issues/563038). Of older versions without that claim, all merge requests count.
 *
 * @example
 * isProposedChange({ event_name: 'pull_request' }) // true
 */
export function isProposedChange(payload: object): boolean {
  const text = (name: string): string => textOf(memberOf(payload, name)) ?? ''
  if (text('event_name').startsWith('pull_request')) return true
  if (['ref', 'oidc.circleci.com/vcs-ref'].some((name) => text(name).startsWith('refs/pull/'))) return true
  const jobProject = text('job_project_id')
  if (jobProject !== '') return jobProject !== text('project_id')
  return text('pipeline_source') === 'merge_request_event'
}
