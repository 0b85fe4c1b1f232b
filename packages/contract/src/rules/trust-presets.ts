/**
 * What a person fills in to trust a platform, and the issuer and claims that follow from it. Each preset requires ids that cannot be
 * taken over, where the platform has them.
 */
import type { RequiredClaim } from './issuers.ts'

/** Something that a person fills in. */
export interface PresetField {
  /** Name of the field. */
  readonly name: string
  /** Whether the preset is of no use without it. */
  readonly isRequired: boolean
  /** What a value looks like. */
  readonly example: string
  /** The value if a person fills in none. @default none */
  readonly standard?: string
}

/** A platform whose tokens can be exchanged. */
export interface TrustPreset {
  /** Id of the preset. */
  readonly id: PresetId
  /** What people call the platform. */
  readonly title: string
  /** The issuer, with fields as `{name}`. */
  readonly issuer: string
  /** Whether the keys of the issuer are pasted, because its address is private. */
  readonly needsKeys: boolean
  /** Whether the operator names the issuer in ROLLKEY_TRUSTED_ISSUERS, unless its keys are pasted. */
  readonly isSelfHosted: boolean
  /** The fields, the most important first. */
  readonly fields: readonly PresetField[]
  /** The claims, with fields as `{name}`. A claim whose field is empty is left out. */
  readonly claims: readonly RequiredClaim[]
  /** The page that documents the tokens. */
  readonly source: string
}

/** The id of a preset. */
export type PresetId =
  | 'github'
  | 'gitlab'
  | 'forgejo'
  | 'circleci'
  | 'buildkite'
  | 'bitbucket'
  | 'kubernetes'
  | 'spiffe'
  | 'google'
  | 'vercel'

const required = (name: string, example: string): PresetField => ({ name, isRequired: true, example })
const optional = (name: string, example: string): PresetField => ({ name, isRequired: false, example })
const claim = (name: string, value: string): RequiredClaim => ({ name, value })

/** The fields and claims that GitHub Actions and what is compatible with it share. */
const ofActions = {
  fields: [
    required('repositoryId', '424242'),
    optional('ownerId', '2020'),
    optional('environment', 'production'),
    optional('ref', 'refs/heads/main'),
    optional('workflow', 'acme/shop/.github/workflows/deploy.yml@refs/heads/main'),
    optional('event', 'push'),
  ],
  claims: [
    claim('repository_id', '{repositoryId}'),
    claim('repository_owner_id', '{ownerId}'),
    claim('environment', '{environment}'),
    claim('ref', '{ref}'),
    claim('job_workflow_ref', '{workflow}'),
    claim('event_name', '{event}'),
  ],
}

/** The presets. */
export const trustPresets: readonly TrustPreset[] = [
  {
    id: 'github',
    title: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    needsKeys: false,
    isSelfHosted: false,
    // Never sub: its format changed in 2026, depends on settings of the repository, and contains names that can be taken over.
    ...ofActions,
    source: 'https://docs.github.com/en/actions/reference/security/oidc',
  },
  {
    id: 'gitlab',
    title: 'GitLab',
    issuer: '{url}',
    needsKeys: false,
    isSelfHosted: false,
    fields: [
      required('projectId', '1001'),
      optional('namespaceId', '72'),
      optional('environment', 'production'),
      optional('ref', 'main'),
      optional('refType', 'branch'),
      // The claim is a text, "true" or "false".
      optional('refProtected', 'true'),
      { name: 'url', isRequired: true, example: 'https://gitlab.example.com', standard: 'https://gitlab.com' },
    ],
    claims: [
      claim('project_id', '{projectId}'),
      claim('namespace_id', '{namespaceId}'),
      claim('environment', '{environment}'),
      claim('ref', '{ref}'),
      claim('ref_type', '{refType}'),
      claim('ref_protected', '{refProtected}'),
    ],
    source: 'https://docs.gitlab.com/ci/secrets/id_token_authentication',
  },
  {
    id: 'forgejo',
    title: 'Forgejo or Gitea Actions',
    issuer: '{url}/api/actions',
    needsKeys: false,
    isSelfHosted: true,
    fields: [required('url', 'https://forgejo.example.com'), ...ofActions.fields],
    claims: ofActions.claims,
    source: 'https://forgejo.org/docs/next/user/actions/security-openid-connect',
  },
  {
    id: 'circleci',
    title: 'CircleCI',
    issuer: 'https://oidc.circleci.com/org/{organizationId}',
    needsKeys: false,
    isSelfHosted: false,
    fields: [
      required('organizationId', 'b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de'),
      required('projectId', '8d0a1b3c-5d4e-4f6a-9b8c-7d6e5f4a3b2c'),
      optional('contextId', 'a74579f1-2e7d-451e-b009-5c082ad2729e'),
      optional('ref', 'refs/heads/main'),
    ],
    claims: [
      claim('oidc.circleci.com/project-id', '{projectId}'),
      claim('oidc.circleci.com/context-ids', '{contextId}'),
      claim('oidc.circleci.com/vcs-ref', '{ref}'),
    ],
    source: 'https://circleci.com/docs/guides/permissions-authentication/openid-connect-tokens/',
  },
  {
    id: 'buildkite',
    title: 'Buildkite',
    issuer: 'https://agent.buildkite.com',
    needsKeys: false,
    isSelfHosted: false,
    fields: [
      required('organization', 'acme'),
      required('pipeline', 'deploy-shop'),
      optional('branch', 'main'),
      optional('step', 'deploy'),
    ],
    claims: [
      claim('organization_slug', '{organization}'),
      claim('pipeline_slug', '{pipeline}'),
      claim('build_branch', '{branch}'),
      claim('step_key', '{step}'),
    ],
    source: 'https://buildkite.com/docs/agent/v3/cli-oidc',
  },
  {
    id: 'bitbucket',
    title: 'Bitbucket Pipelines',
    issuer: 'https://api.bitbucket.org/2.0/workspaces/{workspace}/pipelines-config/identity/oidc',
    needsKeys: false,
    isSelfHosted: false,
    fields: [
      required('workspace', 'acme'),
      required('repositoryUuid', '{5f1c2d3e-8a7b-4c6d-9e0f-1a2b3c4d5e6f}'),
      optional('environmentUuid', '{0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d}'),
      optional('branch', 'main'),
    ],
    claims: [
      claim('repositoryUuid', '{repositoryUuid}'),
      claim('deploymentEnvironmentUuid', '{environmentUuid}'),
      claim('branchName', '{branch}'),
    ],
    source: 'https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/',
  },
  {
    id: 'kubernetes',
    title: 'Kubernetes',
    issuer: '{issuer}',
    needsKeys: true,
    isSelfHosted: true,
    fields: [
      required('issuer', 'https://kubernetes.default.svc.cluster.local'),
      required('namespace', 'shop'),
      required('serviceAccount', 'web'),
    ],
    claims: [claim('sub', 'system:serviceaccount:{namespace}:{serviceAccount}')],
    source:
      'https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#serviceaccount-token-volume-projection',
  },
  {
    id: 'spiffe',
    title: 'SPIFFE',
    issuer: '{issuer}',
    needsKeys: true,
    isSelfHosted: true,
    fields: [
      required('issuer', 'https://spire.example.com'),
      required('spiffeId', 'spiffe://example.com/ns/shop/sa/web'),
    ],
    claims: [claim('sub', '{spiffeId}')],
    source: 'https://spiffe.io/docs/latest/spiffe-specs/jwt-svid/',
  },
  {
    id: 'google',
    title: 'Google Cloud',
    issuer: 'https://accounts.google.com',
    needsKeys: false,
    isSelfHosted: false,
    // The unique id of a service account. Its email could be given to another one.
    fields: [
      required('serviceAccountId', '117283746501928374650'),
      optional('email', 'web@shop.iam.gserviceaccount.com'),
    ],
    claims: [claim('sub', '{serviceAccountId}'), claim('email', '{email}')],
    source: 'https://cloud.google.com/compute/docs/instances/verifying-instance-identity',
  },
  {
    id: 'vercel',
    title: 'Vercel',
    issuer: 'https://oidc.vercel.com/{team}',
    needsKeys: false,
    isSelfHosted: false,
    fields: [
      required('team', 'acme'),
      required('teamId', 'team_7Gw5ZMzpQA8h90F832KGp7nw'),
      required('projectId', 'prj_9hKuXp4Qw2JvG7nT1sYbRcEdLmZa'),
      optional('environment', 'production'),
    ],
    claims: [claim('owner_id', '{teamId}'), claim('project_id', '{projectId}'), claim('environment', '{environment}')],
    source: 'https://vercel.com/docs/oidc/reference',
  },
]

/** What a preset gives: the issuer and claims of a trust, or the fields that are still empty. */
export type FilledPreset =
  | {
      /** Issuer of the trust. */
      readonly issuer: string
      /** Claims of the trust. */
      readonly claims: readonly RequiredClaim[]
    }
  | {
      /** Names of the required fields that are empty. */
      readonly missing: readonly string[]
    }

const placeholder = /\{([A-Za-z]+)\}/g

function fieldsOf(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name)
}

/**
 * Returns the issuer and the claims of a trust for what a person filled in, or the names of the required fields that are empty.
 * Never throws.
 *
 * @example
 * const github = trustPresets.find(({ id }) => id === 'github')
 * const trust = github && fillPreset(github, { repositoryId: '424242', environment: 'production' })
 */
export function fillPreset(preset: TrustPreset, values: Readonly<Record<string, string | undefined>>): FilledPreset {
  const filled = new Map(
    preset.fields.map(({ name, standard = '' }) => {
      const own = Object.hasOwn(values, name) ? (values[name] ?? '').trim() : ''
      return [name, own === '' ? standard : own]
    }),
  )
  const missing = preset.fields.filter(({ name, isRequired }) => isRequired && filled.get(name) === '')
  if (missing.length > 0) return { missing: missing.map(({ name }) => name) }
  const fill = (text: string): string => text.replace(placeholder, (_, name: string) => filled.get(name) ?? '')
  // An address is often pasted with a slash at its end, which issuers do not have.
  const url = filled.get('url')
  if (url !== undefined) filled.set('url', url.replace(/\/+$/, ''))
  return {
    issuer: fill(preset.issuer),
    claims: preset.claims
      .filter(({ value }) => fieldsOf(value).every((name) => filled.get(name) !== ''))
      .map(({ name, value }) => ({ name, value: fill(value) })),
  }
}
