import { describe, expect, test } from 'vitest'
import {
  claimOf,
  claimsProblem,
  isProposedChange,
  matchesClaim,
  wellKnownIssuer,
  wellKnownIssuers,
} from '@rollkey/contract'

const github = 'https://token.actions.githubusercontent.com'

describe('a well-known issuer', () => {
  test.each([
    [github, 'GitHub Actions'],
    [`${github}/acme-inc`, 'GitHub Actions'],
    ['https://gitlab.com', 'GitLab.com'],
    ['https://oidc.circleci.com/org/b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de', 'CircleCI'],
    ['https://agent.buildkite.com', 'Buildkite'],
    ['https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc', 'Bitbucket Pipelines'],
    ['https://accounts.google.com', 'Google'],
    ['https://oidc.vercel.com/acme', 'Vercel'],
    ['https://oidc.vercel.com', 'Vercel'],
  ])('is %s', (issuer, title) => {
    expect(wellKnownIssuer(issuer)?.title).toBe(title)
  })

  test.each([
    'http://gitlab.com',
    'https://gitlab.com/',
    'https://gitlab.com.evil.example',
    'https://evil.example/https://gitlab.com',
    'https://gitlab.com@evil.example',
    'https://GITLAB.com',
    'https://gitlab.com\n',
    `${github}/`,
    `${github}/a/b`,
    `${github}/..`,
    `${github}?x`,
    'https://token.actions.githubusercontent.com.evil.example',
    'https://tokenXactions.githubusercontent.com',
    'https://oidc.circleci.com/org/x',
    'https://oidc.circleci.com/org/b48b4d2b-1fd5-4a8b-a3ab-4d7c8f3ab0de/../../evil',
    'https://oidc.vercel.com/acme/other',
    'https://oidc.vercel.com:8443/acme',
    'https://api.bitbucket.org/2.0/workspaces/../x/pipelines-config/identity/oidc',
  ])('is not %j', (issuer) => {
    expect(wellKnownIssuer(issuer)).toBeUndefined()
  })

  test('has at least one claim that tells customers apart', () => {
    for (const { identifying } of wellKnownIssuers) expect(identifying.length).toBeGreaterThan(0)
  })
})

describe('the claims of a trust', () => {
  const id = { name: 'repository_id', value: '1' }

  test.each([
    ['an id', github, [id]],
    [
      'the id of the owner and a branch',
      github,
      [
        { name: 'repository_owner_id', value: '1' },
        { name: 'ref', value: 'refs/*' },
      ],
    ],
    ['an id and sub', github, [id, { name: 'sub', value: 'repo:acme/*' }]],
    ['a project', 'https://gitlab.com', [{ name: 'project_id', value: '1' }]],
    ['a service account', 'https://kubernetes.default.svc', [{ name: 'sub', value: 'system:serviceaccount:shop:web' }]],
    ['a group of workloads', 'https://spire.example', [{ name: 'sub', value: 'spiffe://example.com/ns/shop/*' }]],
  ])('may be %s', (_, issuer, claims) => {
    expect(claimsProblem(issuer, claims)).toBeUndefined()
  })

  test.each([
    ['an id that may go on', github, [{ name: 'repository_id', value: '1*' }], 'the same keys'],
    ['only a branch', github, [{ name: 'ref', value: 'refs/heads/main' }], 'the same keys'],
    ['only a name', github, [{ name: 'repository', value: 'acme/shop' }], 'require one of repository_id'],
    ['only sub at GitHub', github, [{ name: 'sub', value: 'repo:acme/shop:ref:refs/heads/main' }], 'sub in 2026'],
    ['only a path at GitLab', 'https://gitlab.com', [{ name: 'project_path', value: 'acme/shop' }], 'the same keys'],
    ['only the kind of a run', 'https://git.example', [{ name: 'ref_protected', value: 'true' }], 'which workload'],
    ['the issuer', github, [id, { name: 'iss', value: 'x' }], 'checks itself'],
    ['the audience', github, [id, { name: 'aud', value: 'x' }], 'checks itself'],
    ['one twice', github, [id, id], 'twice'],
    ['a star in the middle', github, [id, { name: 'ref', value: 'refs/*/main' }], 'in the middle'],
    ['two stars', github, [id, { name: 'ref', value: 'refs/**' }], 'in the middle'],
    ['only a star', github, [id, { name: 'ref', value: '*' }], 'no other text'],
    ['a star twice', github, [id, { name: 'ref', value: 'a*' }, { name: 'sub', value: 'b*' }], 'More than one'],
  ])('may not be %s', (_, issuer, claims, problem) => {
    expect(claimsProblem(issuer, claims)).toContain(problem)
  })
})

describe('a claim', () => {
  const matches = (value: string, actual: unknown): boolean => matchesClaim({ name: 'a', value }, actual)

  test.each([
    ['main', 'main'],
    ['refs/heads/*', 'refs/heads/main'],
    ['refs/heads/*', 'refs/heads/'],
    ['true', true],
    ['true', 'true'],
    ['7', 7],
    ['1.5', 1.5],
    ['b', ['a', 'b']],
    ['b*', ['a', 'bc']],
  ])('%j accepts %j', (value, actual) => {
    expect(matches(value, actual)).toBe(true)
  })

  test.each([
    ['main', 'Main'],
    ['main', 'main '],
    ['main', 'mai'],
    ['refs/heads/*', 'refs/tags/v1'],
    ['true', 'True'],
    ['true', 1],
    ['null', null],
    ['a', undefined],
    ['a', { a: 'a' }],
    ['[object Object]', {}],
    ['a', []],
    ['a', [['a']]],
    ['a,b', ['a', 'b']],
    ['1', '1.0'],
  ])('%j refuses %j', (value, actual) => {
    expect(matches(value, actual)).toBe(false)
  })

  test('is found by its name, then by its path, on own properties only', () => {
    expect(claimOf({ 'a.b': 1, a: { b: 2 } }, 'a.b')).toBe(1)
    expect(claimOf({ a: { b: 2 } }, 'a.b')).toBe(2)
    for (const name of ['toString', 'a.constructor.name', '__proto__', 'a.b.c'])
      expect(claimOf({ a: { b: 'text' } }, name), name).toBeUndefined()
  })
})

describe('a proposed change', () => {
  test.each([
    { event_name: 'pull_request' },
    { event_name: 'pull_request_target' },
    { event_name: 'pull_request_review_comment' },
    { event_name: 'push', ref: 'refs/pull/1/merge' },
    { 'oidc.circleci.com/vcs-ref': 'refs/pull/1' },
    { project_id: '1002', job_project_id: '1001', pipeline_source: 'merge_request_event' },
    { project_id: '1001', pipeline_source: 'merge_request_event' },
  ])('is %j', (payload) => {
    expect(isProposedChange(payload)).toBe(true)
  })

  test.each([
    {},
    { event_name: 'push', ref: 'refs/heads/main' },
    { event_name: 'workflow_dispatch' },
    { project_id: '1001', job_project_id: '1001', pipeline_source: 'merge_request_event' },
    { project_id: '1001', job_project_id: 1001, pipeline_source: 'push' },
    { project_id: '1001', pipeline_source: 'push' },
    { 'oidc.circleci.com/vcs-ref': 'refs/heads/main' },
  ])('is not %j', (payload) => {
    expect(isProposedChange(payload)).toBe(false)
  })
})
