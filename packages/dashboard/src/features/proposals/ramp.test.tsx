import type { Change } from '@rollkey/sdk/core'
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Ramp } from './ramp.tsx'

const ramp = {
  projectSlug: 'shop',
  stageSlug: 'prod',
  id: 'chg_1',
  state: 'open',
  names: ['CHECKOUT'],
  steps: [
    { atMs: 10, chance: 0.01 },
    { atMs: 20, chance: 0.5 },
  ],
  stepsDone: 0,
  items: [{ name: 'CHECKOUT', action: 'chance', before: { kind: 'ab_roll', chance: 0.25 } }],
} as unknown as Change

/** The revision of an abort. */
const history = { changes: [{ name: 'CHECKOUT', revision: 9, chance: 0, kind: 'ab_roll' }] }

async function show(more: object, verbs: readonly string[] = []): Promise<readonly string[]> {
  answer({ '/v1/whoami': { verbs: [{ verbs }] }, '/v1/env/history': history })
  await render(<Ramp proposal={{ ...ramp, ...more }} />)
  return screen.getAllByRole('listitem').map(({ textContent }) => textContent.replaceAll('\u00A0', ' '))
}

const falls = 'The chance falls from 25% to 1%: some users who get A would get B again.'

test('a plan shows from which chance to which each step goes, and says that one falls', async () => {
  const [first, second] = await show({})
  expect(first).toMatch(/^25% → 1%/)
  expect(second).toMatch(/^1% → 50%/)
  screen.getByText(falls)
  screen.getByText(
    '25% of users move from B (secret) to A (secret). Afterwards: 1 of 2 users get A (secret), the others B (secret).',
  )
  screen.getByText('The chance of CHECKOUT changes at these times.')
})

test('a step that is done has its chance alone, and the next one goes from the present chance on', async () => {
  const [first, second] = await show({ state: 'running', stepsDone: 1 })
  expect(first).toMatch(/^1% ?Done/)
  expect(second).toMatch(/^25% → 50% ?Next/)
  expect(screen.queryByText(falls)).toBeNull()
})

test('a plan that is out of date was to change the chance, and warns of what it would do', async () => {
  const [first] = await show({ conflictAt: 7 })
  expect(first).toMatch(/^25% → 1%/)
  screen.getByText('The chance of CHECKOUT was to change at these times.')
  screen.getByText(falls)
})

test.each(['failed', 'withdrawn', 'aborted'])('a plan that is %s takes no further step', async (state) => {
  const [first, second] = await show({ state, stepsDone: 1 })
  screen.getByText('The chance of CHECKOUT was to change at these times.')
  expect(first).toContain('Done')
  expect(second).toContain('Not taken')
})

test('a plan that is applied changed the chance', async () => {
  const steps = await show({ state: 'applied', stepsDone: 2 })
  expect(steps.every((step) => step.includes('Done'))).toBe(true)
  screen.getByText('The chance of CHECKOUT changed at these times.')
})

test('a plan that is paused says that it waits, and when its steps were planned', async () => {
  const [first, second] = await show({ state: 'paused', stepsDone: 1 })
  screen.getByText(/^The rollout is paused: the chance of CHECKOUT stays as it is/)
  expect(first).toContain('Done')
  expect(second).toContain('Paused, planned for')
})

test('a plan that was aborted says to which chance', async () => {
  await show({ state: 'aborted', stepsDone: 1, appliedRevision: 9 })
  expect(await screen.findByText('The rollout was aborted. This set the chance of CHECKOUT to 0%.')).toBeDefined()
})

test.each([
  ['no approvals', 0, ['list', 'write'], true],
  ['approvals', 1, ['list', 'write'], false],
  ['approvals', 1, ['list', 'write', 'approve'], true],
] as const)('where a stage requires %s (%i), %j may leave out a step: %s', async (_, required, verbs, isOffered) => {
  await show({ state: 'running', stepsDone: 1, approvals: { required } }, verbs)
  await screen.findByRole('button', { name: 'Pause' })
  expect(screen.queryByRole('button', { name: 'Skip the next step' }) !== null).toBe(isOffered)
})

const rotation = {
  state: 'running',
  stepsDone: 1,
  names: ['KEY'],
  items: [{ name: 'KEY', action: 'update', before: { kind: 'ab_roll', chance: 0.01 }, after: { kind: 'secret' } }],
  approvals: { required: 0 },
}

async function showRotation(more: object, answers: object) {
  const requests = answer({ '/v1/whoami': { verbs: [{ verbs: ['list', 'write'] }] }, ...answers })
  await render(<Ramp proposal={{ ...ramp, ...rotation, ...more } as unknown as Change} />)
  return requests
}

test('the rotation of a secret speaks of its values, and ends with one of them', async () => {
  const requests = await showRotation({}, { '/v1/changes/abort': {} })
  screen.getByText('Rotation')
  screen.getByText('The new value of KEY replaces the old one for more and more requests, at these times.')
  expect(screen.queryByText(/rollout/i)).toBeNull()
  await userEvent.click(await screen.findByRole('button', { name: 'Back to old' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give everyone the old value of KEY?' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Back to old' }))
  await expect.poll(() => requests.find(({ path }) => path.endsWith('/abort'))?.body).toMatchObject({ chance: 0 })
})

test('a rotation that someone ended says so, and reads no chance', async () => {
  const requests = await showRotation({ state: 'aborted', appliedRevision: 9 }, {})
  const text = 'Someone ended the rotation of KEY before its last step, with one of the values.'
  expect(await screen.findByText(text)).toBeDefined()
  expect(requests.filter(({ path }) => path === '/v1/env/history')).toEqual([])
})
