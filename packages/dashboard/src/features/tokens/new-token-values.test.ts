import { expect, it } from 'vitest'
import { tokenRequest, emptyToken, tokenChecks } from './new-token-values.ts'

const draft = { ...emptyToken, name: ' CI ', project: 'shop', stage: 'prod' }

it('has no wider scope than chosen', () => {
  expect(tokenRequest(draft)).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    stageSlug: 'prod',
    readOnly: true,
    history: false,
    expiresInDays: 365,
  })
  expect(tokenRequest({ ...draft, scope: 'project', writes: true, history: true })).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    readOnly: false,
    history: true,
    expiresInDays: 365,
  })
  expect(tokenRequest({ ...draft, scope: 'organization' })).not.toHaveProperty('projectSlug')
})

it('needs the project or stage of its scope', () => {
  expect(tokenChecks.project('', draft)).toBe('Choose a project.')
  expect(tokenChecks.stage('', { ...draft, scope: 'stage' })).toBe('Choose a stage.')
  expect(tokenChecks.stage('', { ...draft, scope: 'project' })).toBeNull()
  expect(tokenChecks.project('', { ...draft, scope: 'organization' })).toBeNull()
})
