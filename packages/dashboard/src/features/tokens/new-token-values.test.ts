import { expect, it } from 'vitest'
import { mayBy } from '../../lib/may.ts'
import { emptyToken, type TokenDraft, tokenChecks, tokenRequest } from './new-token-values.ts'
import { rolesIn } from '../../parts/credentials/scoped-draft.ts'

const draft: TokenDraft = { ...emptyToken, name: ' CI ', project: 'shop', stage: 'prod' }
const may = mayBy([
  { verbs: ['list', 'read', 'write', 'manage'] },
  { projectSlug: 'shop', stageSlug: 'prod', verbs: ['list', 'manage'] },
])
const checks = tokenChecks(may)

it('has no wider scope than chosen', () => {
  expect(tokenRequest(draft)).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    stageSlug: 'prod',
    role: 'reader',
    history: false,
    expiresInDays: 365,
  })
  expect(tokenRequest({ ...draft, scope: 'project', role: 'developer', history: true })).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    role: 'developer',
    history: true,
    expiresInDays: 365,
  })
  expect(tokenRequest({ ...draft, scope: 'organization' })).not.toHaveProperty('projectSlug')
})

it('needs the project or stage of its scope', () => {
  expect(checks.project('', draft)).toBe('Choose a project.')
  expect(checks.stage('', { ...draft, scope: 'stage' })).toBe('Choose a stage.')
  expect(checks.stage('', { ...draft, scope: 'project' })).toBeNull()
  expect(checks.project('', { ...draft, scope: 'organization' })).toBeNull()
})

it('offers no role that allows more than the creator may do in the scope', () => {
  expect(rolesIn(draft, may)).toEqual(['viewer'])
  expect(rolesIn({ ...draft, scope: 'project' }, may)).toEqual(['viewer', 'reader', 'developer'])
  expect(rolesIn({ ...draft, stage: '' }, may)).toEqual(['viewer', 'reader', 'developer'])
  expect(checks.role('reader', draft)).toMatch('Choose a role')
  expect(checks.role('viewer', draft)).toBeNull()
})
