import { expect, it } from 'vitest'
import { askedToken, emptyToken, tokenChecks } from './new-token-values.ts'

const draft = { ...emptyToken, name: ' CI ', project: 'shop', stage: 'prod' }

it('reaches no further than was asked for', () => {
  expect(askedToken(draft)).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    stageSlug: 'prod',
    readOnly: true,
    history: false,
    expiresInDays: 365,
  })
  expect(askedToken({ ...draft, reach: 'project', writes: true, history: true })).toEqual({
    name: 'CI',
    projectSlug: 'shop',
    readOnly: false,
    history: true,
    expiresInDays: 365,
  })
  expect(askedToken({ ...draft, reach: 'organization' })).not.toHaveProperty('projectSlug')
})

it('is refused without the place that it is to reach', () => {
  expect(tokenChecks.project('', draft)).toBe('Choose a project.')
  expect(tokenChecks.stage('', { ...draft, reach: 'stage' })).toBe('Choose a stage.')
  expect(tokenChecks.stage('', { ...draft, reach: 'project' })).toBeNull()
  expect(tokenChecks.project('', { ...draft, reach: 'organization' })).toBeNull()
})
