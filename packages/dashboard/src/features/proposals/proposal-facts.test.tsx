import type { Change } from '@rollkey/sdk/core'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { PlaceLinks, ProposalFacts } from './proposal-facts.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const plan = {
  ...place,
  proposedBy: 'ada',
  proposedWith: 'dashboard',
  proposedAtMs: 0,
  steps: [{ atMs: 0, chance: 1 }],
  guard: { onMisfit: 'hold' },
  source: {},
  dueAtMs: 1,
  items: [{ name: 'CHECKOUT', action: 'chance', chance: 1 }],
} as unknown as Change

const hrefOf = (name: string) =>
  screen
    .getByRole('link', { name })
    .getAttribute('href')
    ?.replace(/^\/o\/[^/]+/, '')
const factOf = (name: string) => screen.queryByText(name)?.nextElementSibling?.textContent

async function show(more: object): Promise<void> {
  answer({ '/v1/whoami': {}, '/identity/organization/list-members': { members: [] } })
  await render(<ProposalFacts proposal={{ ...plan, ...more }} />)
}

test('a plan leads to its roll, and says what its guard does', async () => {
  await show({})
  expect(hrefOf('CHECKOUT')).toBe('/p/shop/roll?stage=prod&name=CHECKOUT')
  expect(factOf('If the served values do not fit the chance')).toBe('Pause')
  expect(factOf('Applies')).toBeDefined()
})

test('a plan without a guard goes on, and one that is out of date is not applied at a time', async () => {
  await show({ guard: undefined, conflictAt: 7 })
  expect(factOf('If the served values do not fit the chance')).toBe('Go on')
  expect(factOf('Applies')).toBeUndefined()
})

test('a guard names the chance at which it stops', async () => {
  await show({ guard: { onMisfit: 'abort', abortTo: 0.1 } })
  expect(factOf('If the served values do not fit the chance')).toBe('Stop: chance 10%')
})

test('a change that is settled says by whom, and without a person when', async () => {
  await show({ state: 'applied', settledBy: 'ada', settledAtMs: Date.now(), appliedRevision: 9 })
  await expect.poll(() => factOf('Applied by')).toMatch(/^ada, /)
})

test('a change that the service applied says when', async () => {
  await show({ state: 'applied', settledAtMs: Date.now(), appliedRevision: 9 })
  expect(factOf('Applied')).not.toBe('')
  expect(factOf('Applied')).toBeDefined()
  expect(factOf('Applied by')).toBeUndefined()
})

test('a change of other variables, or of more than one, leads to no roll', async () => {
  const secret = { name: 'KEY', action: 'create', after: { kind: 'secret', digests: {} } }
  await show({ steps: undefined, items: [secret] })
  expect(screen.queryByText('Roll')).toBeNull()
  expect(screen.queryByRole('link')).toBeNull()
})

test('a change leads to its project, and to the history of its stage, which is marked as production', async () => {
  const stages = [{ stageSlug: 'prod', name: 'Live', isProduction: true }]
  answer({ '/v1/whoami': {}, '/v1/projects/list': { projects: [{ projectSlug: 'shop', name: 'Web shop', stages }] } })
  await render(<PlaceLinks place={place} />)
  await screen.findByRole('link', { name: 'Web shop' })
  expect(hrefOf('Web shop')).toBe('/p/shop')
  expect(hrefOf('Live')).toBe('/p/shop/history?stage=prod')
  screen.getByText('Production')
})
