import type { Trust } from '@rollkey/sdk/core'
import { expect, it } from 'vitest'
import { labels } from './labels.ts'
import {
  changesOf,
  draftOf,
  emptyTrust,
  otherPlatform,
  repositoryIn,
  trustChecks,
  trustRequest,
} from './trust-draft.ts'

const place = { scope: 'stage', project: 'shop', stage: 'prod' } as const

it('fills in the issuer and the claims of a platform, and a name', () => {
  const fields = { ...emptyTrust.fields, repositoryId: '424242', environment: 'production' }
  expect(trustRequest({ ...emptyTrust, ...place, platform: 'github', fields })).toEqual({
    name: 'GitHub Actions 424242',
    issuer: 'https://token.actions.githubusercontent.com',
    claims: [
      { name: 'repository_id', value: '424242' },
      { name: 'environment', value: 'production' },
    ],
    projectSlug: 'shop',
    stageSlug: 'prod',
    role: 'reader',
    history: false,
    forks: false,
    lifetimeSeconds: 900,
  })
})

it('is named by the repository, and checks its id alone', () => {
  const draft = { ...emptyTrust, ...place, repository: ' https://github.com/acme/shop.git ' }
  const request = trustRequest({ ...draft, fields: { ...emptyTrust.fields, repositoryId: '424242' } })
  expect(request).toMatchObject({
    name: 'GitHub Actions acme/shop',
    claims: [{ name: 'repository_id', value: '424242' }],
  })
})

it('takes a repository by its name or its address', () => {
  expect(['acme/shop', 'github.com/acme/shop/', 'acme/shop.js'].map(repositoryIn)).toEqual([
    'acme/shop',
    'acme/shop',
    'acme/shop.js',
  ])
  expect(['', 'acme', 'acme/shop/x', 'acme/sh op', 'https://evil.example/acme/shop'].map(repositoryIn)).toEqual(
    Array.from({ length: 5 }),
  )
  const { repository } = trustChecks(() => true)
  expect(repository('acme', emptyTrust)).toBe(labels.create.repositoryWrong)
  expect(repository('', emptyTrust)).toBeNull()
  expect(repository('acme', { ...emptyTrust, platform: 'gitlab' })).toBeNull()
})

it('reads the claims of another issuer from lines, also with an equals sign in the value', () => {
  const draft = { platform: otherPlatform, issuer: ' https://ci.example.com ', claims: 'a=b=c\n\n d = e ' }
  expect(trustRequest({ ...emptyTrust, ...draft, name: 'CI', scope: 'organization' })).toMatchObject({
    name: 'CI',
    issuer: 'https://ci.example.com',
    claims: [
      { name: 'a', value: 'b=c' },
      { name: 'd', value: 'e' },
    ],
  })
})

it('asks only for what the chosen platform needs', () => {
  const checks = trustChecks(() => true)
  const missing = (platform: string): string[] => {
    const draft = { ...emptyTrust, platform }
    return Object.entries(checks.fields).flatMap(([name, check]) => (check('', draft) === null ? [] : [name]))
  }
  expect(missing('github')).toEqual(['repositoryId'])
  expect(missing('gitlab')).toEqual(['projectId'])
  expect(missing('kubernetes')).toEqual(['issuer', 'namespace', 'serviceAccount'])
  expect(missing(otherPlatform)).toEqual([])
  expect(checks.keys('', { ...emptyTrust, platform: 'kubernetes' })).not.toBeNull()
  expect(checks.claims('nothing', { ...emptyTrust, platform: otherPlatform })).not.toBeNull()
})

it('takes only numbers where ids are numbers', () => {
  const { repositoryId, ownerId, environment } = trustChecks(() => true).fields
  const draft = { ...emptyTrust, platform: 'github' }
  expect(repositoryId?.('acme/shop', draft)).toBe(labels.create.notNumber)
  expect(repositoryId?.(' 424242 ', draft)).toBeNull()
  expect(ownerId?.('acme', draft)).toBe(labels.create.notNumber)
  expect(ownerId?.('', draft)).toBeNull()
  expect(environment?.('production', draft)).toBeNull()
})

const trust: Trust = {
  id: 'tru_1',
  name: 'deploy',
  issuer: 'https://ci.example.com',
  audience: 'https://rollkey.example.com',
  claims: [
    { name: 'a', value: ' b=c ' },
    { name: 'd', value: 'e' },
  ],
  projectSlug: 'shop',
  role: 'reader',
  history: false,
  lifetimeSeconds: 123,
  forks: true,
  jwks: '{"keys":[]}',
  createdBy: 'ada',
  createdAtMs: 1,
  updatedAtMs: 1,
}

it('changes only what the person changed, and removes keys that were emptied', () => {
  const draft = draftOf(trust)
  expect(changesOf(trust, draft)).toEqual({})
  expect(changesOf(trust, { ...draft, keys: ' ', lifetime: '900', forks: false })).toEqual({
    jwks: null,
    lifetimeSeconds: 900,
    forks: false,
  })
  expect(changesOf(trust, { ...draft, claims: `${draft.claims}\nf=g`, name: ' web ' })).toEqual({
    name: 'web',
    claims: [
      { name: 'a', value: 'b=c' },
      { name: 'd', value: 'e' },
      { name: 'f', value: 'g' },
    ],
  })
})
