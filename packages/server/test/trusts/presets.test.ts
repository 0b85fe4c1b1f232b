/**
 * Tokens in the shape that each platform documents, signed by test keys, against the trust that its preset makes. The platforms
 * themselves are not asked.
 */
import { claimsProblem, fillPreset, trustPresets } from '@rollkey/contract'
import { createLocalJWKSet, SignJWT, type JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { examine, problemOf, readToken } from '../../src/trusts/external-token.ts'
import { newIssuerKey } from '../../testkit/issuer.ts'

const audience = 'https://rollkey.example.com'
const nowMs = 1_790_000_000_000
const seconds = nowMs / 1_000
const [rsa, elliptic] = await Promise.all([newIssuerKey('rsa'), newIssuerKey('ec', 'ES256')])

/** A documented token: what a person fills in, its claims, and changes of its claims that the trust must refuse. */
interface Documented {
  readonly preset: (typeof trustPresets)[number]['id']
  readonly values: Readonly<Record<string, string>>
  readonly claims: JWTPayload
  readonly wrong: readonly object[]
  readonly alg?: 'ES256'
}

const gitHub: JWTPayload = {
  jti: 'example-id',
  sub: 'repo:acme/shop:environment:prod',
  environment: 'prod',
  aud: audience,
  ref: 'refs/heads/main',
  ref_protected: 'true',
  ref_type: 'branch',
  sha: 'example-sha',
  repository: 'acme/shop',
  repository_id: '74',
  repository_owner: 'acme',
  repository_owner_id: '65',
  repository_visibility: 'private',
  actor: 'ada',
  actor_id: '12',
  run_id: 'example-run-id',
  run_number: '10',
  run_attempt: '2',
  runner_environment: 'github-hosted',
  workflow: 'example-workflow',
  workflow_ref: 'acme/shop/.github/workflows/deploy.yml@refs/heads/main',
  job_workflow_ref: 'acme/automation/.github/workflows/oidc.yml@refs/heads/main',
  head_ref: '',
  base_ref: '',
  event_name: 'workflow_dispatch',
}
const ofGitHub = {
  repositoryId: '74',
  ownerId: '65',
  environment: 'prod',
  ref: 'refs/heads/main',
  workflow: 'acme/automation/.github/workflows/oidc.yml@refs/heads/main',
}
const notOfGitHub = [
  { repository_id: '75', repository_owner_id: '66' },
  { environment: undefined, sub: 'repo:acme/shop:ref:refs/heads/main' },
  { ref: 'refs/heads/feature' },
  { job_workflow_ref: 'acme/automation/.github/workflows/oidc.yml@refs/heads/feature' },
  { event_name: 'pull_request', ref: 'refs/pull/7/merge', head_ref: 'feature', base_ref: 'main' },
  { event_name: 'pull_request_target' },
]

const documented: readonly (readonly [string, Documented])[] = [
  ['GitHub with names in sub', { preset: 'github', values: ofGitHub, claims: gitHub, wrong: notOfGitHub }],
  [
    'GitHub with ids in sub',
    {
      preset: 'github',
      values: ofGitHub,
      claims: { ...gitHub, sub: 'repo:acme-65/shop-74:environment:prod' },
      wrong: notOfGitHub,
    },
  ],
  [
    'Forgejo',
    {
      preset: 'forgejo',
      values: { url: 'https://forgejo.example.com/', repositoryId: '74', ref: 'refs/heads/main' },
      claims: { ...gitHub, sub: 'repo:my-org-65/my-repo-74:ref:refs/heads/main', environment: undefined },
      wrong: [{ repository_id: '75' }, { event_name: 'pull_request' }],
    },
  ],
  [
    'GitLab',
    {
      preset: 'gitlab',
      values: { projectId: '22', ref: 'feature-branch-1', refProtected: 'true', environment: 'production' },
      claims: {
        namespace_id: '72',
        namespace_path: 'my-group',
        project_id: '22',
        project_path: 'my-group/my-project',
        job_project_id: '22',
        user_id: '1',
        user_login: 'sample-user',
        pipeline_id: '574',
        pipeline_source: 'push',
        job_id: '302',
        ref: 'feature-branch-1',
        ref_type: 'branch',
        ref_path: 'refs/heads/feature-branch-1',
        ref_protected: 'true',
        runner_id: 1,
        runner_environment: 'self-hosted',
        environment: 'production',
        environment_protected: 'false',
        sub: 'project_path:my-group/my-project:ref_type:branch:ref:feature-branch-1',
      },
      wrong: [
        { ref_protected: 'false' },
        { project_id: '23', project_path: 'my-group/my-project' },
        { job_project_id: '23', pipeline_source: 'merge_request_event' },
        { job_project_id: undefined, pipeline_source: 'merge_request_event' },
        { environment: 'staging' },
      ],
    },
  ],
  [
    'CircleCI',
    {
      preset: 'circleci',
      values: {
        organizationId: 'b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de',
        projectId: '8d0a1b3c-5d4e-4f6a-9b8c-7d6e5f4a3b2c',
        contextId: 'a74579f1-2e7d-451e-b009-5c082ad2729e',
        ref: 'refs/heads/main',
      },
      claims: {
        sub: 'org/b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de/project/8d0a1b3c-5d4e-4f6a-9b8c-7d6e5f4a3b2c/user/u',
        'oidc.circleci.com/project-id': '8d0a1b3c-5d4e-4f6a-9b8c-7d6e5f4a3b2c',
        'oidc.circleci.com/org-id': 'b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de',
        'oidc.circleci.com/context-ids': [
          'a74579f1-2e7d-451e-b009-5c082ad2729e',
          'cb32986e-2f6f-4f43-b2bd-d3c2fd98e903',
        ],
        'oidc.circleci.com/ssh-rerun': false,
        'oidc.circleci.com/vcs-origin': 'github.com/acme/shop',
        'oidc.circleci.com/vcs-ref': 'refs/heads/main',
      },
      wrong: [
        { 'oidc.circleci.com/context-ids': ['cb32986e-2f6f-4f43-b2bd-d3c2fd98e903'] },
        { 'oidc.circleci.com/project-id': 'x' },
        { 'oidc.circleci.com/vcs-ref': 'refs/pull/7' },
      ],
    },
  ],
  [
    'Buildkite',
    {
      preset: 'buildkite',
      values: { organization: 'example-org', pipeline: 'example-pipeline', branch: 'main' },
      claims: {
        sub: 'organization:example-org:pipeline:example-pipeline:ref:refs/heads/main:commit:b5ffe3a:step:',
        organization_slug: 'example-org',
        pipeline_slug: 'example-pipeline',
        build_number: 5,
        build_branch: 'main',
        build_tag: null,
        build_commit: 'b5ffe3aeea51cec6c41aef16e45ee6bce47d8810',
        step_key: null,
        job_id: '01945ecf-80f0-41e8-9b83-a2970a9305a1',
        agent_id: '01945ecf-8bcf-40a6-9d70-a765db9a0928',
        build_source: 'ui',
        runner_environment: 'buildkite-hosted',
      },
      wrong: [{ organization_slug: 'example-org2' }, { pipeline_slug: 'other' }, { build_branch: null }],
    },
  ],
  [
    'Bitbucket',
    {
      preset: 'bitbucket',
      values: { workspace: 'acme', repositoryUuid: '{5f1c2d3e-8a7b-4c6d-9e0f-1a2b3c4d5e6f}', branch: 'main' },
      claims: {
        sub: '{5f1c2d3e-8a7b-4c6d-9e0f-1a2b3c4d5e6f}:{step}',
        aud: ['ari:cloud:bitbucket::workspace/1', audience],
        stepUuid: '{step}',
        repositoryUuid: '{5f1c2d3e-8a7b-4c6d-9e0f-1a2b3c4d5e6f}',
        workspaceUuid: '{workspace}',
        branchName: 'main',
        pipelineUuid: '{pipeline}',
      },
      wrong: [{ repositoryUuid: '5f1c2d3e-8a7b-4c6d-9e0f-1a2b3c4d5e6f' }, { branchName: 'other' }],
    },
  ],
  [
    'Kubernetes',
    {
      preset: 'kubernetes',
      values: { issuer: 'https://kubernetes.default.svc.cluster.local', namespace: 'shop', serviceAccount: 'web' },
      claims: {
        aud: [audience],
        'kubernetes.io': {
          namespace: 'shop',
          pod: { name: 'web-1', uid: '6ad2d8c8' },
          serviceaccount: { name: 'web', uid: '14ee3fa4' },
        },
        sub: 'system:serviceaccount:shop:web',
      },
      wrong: [{ sub: 'system:serviceaccount:shop:web2' }, { sub: 'system:serviceaccount:other:web' }],
    },
  ],
  [
    'SPIFFE',
    {
      preset: 'spiffe',
      values: { issuer: 'https://spire.example.com', spiffeId: 'spiffe://example.com/ns/shop/sa/web' },
      claims: { aud: [audience], sub: 'spiffe://example.com/ns/shop/sa/web' },
      wrong: [{ sub: 'spiffe://example.com/ns/shop/sa/web2' }, { sub: 'spiffe://example.com' }],
      alg: 'ES256',
    },
  ],
  [
    'Google',
    {
      preset: 'google',
      values: { serviceAccountId: '117283746501928374650', email: 'web@shop.iam.gserviceaccount.com' },
      claims: {
        azp: '117283746501928374650',
        email: 'web@shop.iam.gserviceaccount.com',
        email_verified: true,
        google: { compute_engine: { project_id: 'shop', instance_name: 'web-1', zone: 'europe-west1-b' } },
        sub: '117283746501928374650',
      },
      wrong: [{ sub: '1' }, { email: 'other@shop.iam.gserviceaccount.com' }],
    },
  ],
  [
    'Vercel',
    {
      preset: 'vercel',
      values: { team: 'acme', teamId: 'team_7Gw5', projectId: 'prj_9hKu', environment: 'production' },
      claims: {
        sub: 'owner:acme:project:acme_website:environment:production',
        owner: 'acme',
        owner_id: 'team_7Gw5',
        project: 'acme_website',
        project_id: 'prj_9hKu',
        environment: 'production',
      },
      wrong: [{ owner_id: 'team_other' }, { project_id: 'prj_other' }, { environment: 'preview' }],
    },
  ],
]

test('each preset has a documented token', () => {
  const tested = new Set(documented.map(([, { preset }]) => preset))
  expect(tested).toEqual(new Set(trustPresets.map(({ id }) => id)))
})

describe.each(documented)('a token of %s', (_, { preset: id, values, claims, wrong, alg }) => {
  const preset = trustPresets.find((each) => each.id === id)
  const filled = preset && fillPreset(preset, values)
  if (!filled || 'missing' in filled) throw new Error(`the preset ${id} is not filled`)
  const { privateKey, publicJwk, kid, alg: name } = alg === 'ES256' ? elliptic : rsa
  const keys = createLocalJWKSet({ keys: [publicJwk] })
  const trust = { issuer: filled.issuer, audience, claims: filled.claims, forks: false, jwks: undefined }

  async function problemWith(changed: object): Promise<string | undefined> {
    const times = { iat: seconds, nbf: seconds, exp: seconds + 300 }
    const payload = {
      iss: filled && 'issuer' in filled ? filled.issuer : '',
      aud: audience,
      ...times,
      ...claims,
      ...changed,
    }
    const token = await new SignJWT(payload).setProtectedHeader({ alg: name, kid }).sign(privateKey)
    const known = { current: async () => keys, newerThan: async () => undefined }
    return problemOf(await examine(readToken(token), trust, known, nowMs))
  }

  test('is accepted by the trust of its preset', async () => {
    expect(claimsProblem(trust.issuer, trust.claims)).toBeUndefined()
    expect(await problemWith({})).toBeUndefined()
  })

  test.each(wrong.map((change) => [JSON.stringify(change), change] as const))(
    'is refused with %s',
    async (__, change) => {
      expect(await problemWith(change)).toBeDefined()
    },
  )
})
