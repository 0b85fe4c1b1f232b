import type { Stage } from '@rollkey/sdk/core'
import { useQuery } from '@tanstack/react-query'
import { fireEvent, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it, test } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { useScope } from '../../session/scope.ts'
import { Toasts } from '../../ui/toasts.tsx'
import { projectsQuery } from '../../data/projects/queries.ts'
import { LabelsDrawer } from './labels-drawer.tsx'
import { StopButton } from './roll-actions.tsx'
import { ChanceForm } from '../../parts/rolls/chance-form.tsx'
import { writeRuleOf } from '../../data/proposals/write-rule.ts'

const place = { projectSlug: 'shop', stageSlug: 'prod' }
const always = { zone: 'UTC', from: '2020-01-01T00:00', to: '2090-01-01T00:00' }

function protectedBy(protection: Partial<NonNullable<Stage['protection']>>): NonNullable<Stage['protection']> {
  return { approvals: 0, selfApproval: false, bypassRole: null, stopVerb: 'write', freezes: [], ...protection }
}

async function showChance(protection: Stage['protection']) {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/changes/propose': { id: 'chg_1' },
    '/v1/changes/withdraw': {},
    '/v1/env/update': { revision: 8 },
  })
  const stage = { ...place, name: 'Live', isProduction: true, protection } as unknown as Stage
  await render(
    <>
      <ChanceForm place={place} stage={stage} name="CHECKOUT" chance={0.25} revision={7} />
      <Toasts />
    </>,
  )
  return requests
}

describe('a stage', () => {
  it('takes direct writes unless it requires approval or is frozen', () => {
    expect(writeRuleOf({}, 0).isProposed).toBe(false)
    expect(writeRuleOf({ protection: protectedBy({}) }, 0).isProposed).toBe(false)
    expect(writeRuleOf({ protection: protectedBy({ approvals: 1 }) }, 0).isProposed).toBe(true)
    const frozen = { protection: protectedBy({ freezes: [always] }) }
    expect(writeRuleOf(frozen, Date.parse('2027-01-01T00:00Z'))).toMatchObject({
      isProposed: true,
      frozenUntilMs: Date.parse('2090-01-01T00:00Z'),
    })
    expect(writeRuleOf(frozen, 0).isProposed).toBe(false)
  })
})

test('a chance is proposed with a reason where others approve it, and the toast leads to the change', async () => {
  const requests = await showChance(protectedBy({ approvals: 1 }))
  screen.getByText(/^Live requires an approval/)
  await userEvent.click(screen.getByRole('button', { name: '50%' }))
  const propose = screen.getByRole('button', { name: 'Propose for Live' })
  await userEvent.click(propose)
  expect(requests.map(({ path }) => path)).not.toContain('/v1/changes/propose')
  const reason = screen.getByLabelText(/^Reason/)
  expect(document.activeElement).toBe(reason)
  expect(screen.queryByText('Say why, so that others can review it.')).not.toBeNull()
  await userEvent.type(reason, 'It works')
  expect(screen.queryByText('Say why, so that others can review it.')).toBeNull()
  await userEvent.click(propose)
  await screen.findByText('Proposed the change of CHECKOUT in prod')
  screen.getByRole('button', { name: 'Show the change' })
  expect(requests).toContainEqual({
    path: '/v1/changes/propose',
    body: {
      orgSlug: 'acme',
      ...place,
      reason: 'It works',
      updates: [{ name: 'CHECKOUT', chance: 0.5 }],
      ifRevision: 7,
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Withdrew the change of CHECKOUT')
  expect(requests).toContainEqual({ path: '/v1/changes/withdraw', body: { orgSlug: 'acme', ...place, id: 'chg_1' } })
})

test('a chance of 0 stops the roll, so it is saved at once', async () => {
  const requests = await showChance(protectedBy({ approvals: 1 }))
  await userEvent.click(await screen.findByRole('button', { name: '0%' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Save to Live' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/env/update')
})

test('names of the sides are proposed without the values', async () => {
  const requests = answer({ '/v1/whoami': {}, '/v1/changes/propose': { id: 'chg_1' } })
  const stage = { ...place, name: 'Live', protection: protectedBy({ approvals: 2 }) } as unknown as Stage
  const variable = { name: 'CHECKOUT', kind: 'ab_roll' as const, chance: 0.25, digests: {} }
  const roll = { place, stage, variable, chance: 0.25, sides: undefined }
  await render(<LabelsDrawer roll={roll} revision={7} opened onClose={() => {}} />)
  const drawer = within(await screen.findByRole('dialog'))
  drawer.getByText(/^Live requires 2 approvals/)
  for (const [label, text] of [
    ['Name of A', 'on'],
    ['Name of B', 'off'],
    [/^Reason/, 'Clearer'],
  ] as const) {
    fireEvent.change(drawer.getByLabelText(label), { target: { value: text } })
  }
  await userEvent.click(drawer.getByRole('button', { name: 'Propose for Live' }))
  const labels = { a: 'on', b: 'off' }
  await expect
    .poll(() => requests)
    .toContainEqual({
      path: '/v1/changes/propose',
      body: { orgSlug: 'acme', ...place, reason: 'Clearer', updates: [{ name: 'CHECKOUT', labels }], ifRevision: 7 },
    })
})

test('a frozen stage says until when before anything is entered', async () => {
  await showChance(protectedBy({ freezes: [always] }))
  expect(screen.queryByText(/^Live is frozen until .*20(89|90)/)).not.toBeNull()
})

test('who lacks the verb that stops a roll proposes the stop', async () => {
  const requests = answer({
    '/v1/whoami': { verbs: [{ verbs: ['list', 'read', 'write'] }] },
    '/v1/changes/propose': { id: 'chg_1' },
  })
  const protection = protectedBy({ approvals: 1, stopVerb: 'manage' })
  const roll = { place, stageName: 'Live', isProduction: true, protection, name: 'CHECKOUT', chance: 0.25 }
  await render(
    <>
      <StopButton roll={roll} />
      <Toasts />
    </>,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' }))
  await userEvent.type(dialog.getByLabelText(/^Reason/), 'Errors')
  await userEvent.click(dialog.getByRole('button', { name: 'Propose to stop it in Live' }))
  await screen.findByText('Proposed the change of CHECKOUT in prod')
  expect(requests).toContainEqual({
    path: '/v1/changes/propose',
    body: {
      orgSlug: 'acme',
      ...place,
      reason: 'Errors',
      updates: [{ name: 'CHECKOUT', chance: 0, pins: null, rules: null }],
    },
  })
})

test('a stop is final where a higher chance needs approval, and offers no undo', async () => {
  const protection = protectedBy({ approvals: 1 })
  answer({
    '/v1/whoami': { verbs: [{ verbs: ['list', 'read', 'write'] }] },
    '/v1/changes/list': { changes: [] },
    '/v1/projects/list': {
      projects: [{ projectSlug: 'shop', name: 'Shop', stages: [{ stageSlug: 'prod', name: 'Live', protection }] }],
    },
    '/v1/env/update': { revision: 8 },
  })
  const roll = { place, stageName: 'Live', isProduction: true, protection, name: 'CHECKOUT', chance: 0.25 }
  await render(
    <>
      <Projects />
      <StopButton roll={roll} />
      <Toasts />
    </>,
  )
  await screen.findByText('1 project')
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' }))
  dialog.getByText('You cannot undo this at once: raising the chance again in Live needs an approval.')
  await userEvent.click(dialog.getByRole('button', { name: 'Stop roll' }))
  const text = await screen.findByText(/^Stopped CHECKOUT/)
  expect(within(text.closest<HTMLElement>('[role=status]')!).queryByRole('button', { name: 'Undo' })).toBeNull()
})

test('a stop in a freeze says when the chance can be raised again, and promises no undo of what it removes', async () => {
  answer({ '/v1/whoami': { verbs: [{ verbs: ['list', 'read', 'write'] }] }, '/v1/changes/list': { changes: [] } })
  const protection = protectedBy({ freezes: [always] })
  const targeted = { name: 'CHECKOUT', chance: 0.25, pinned: { a: 1, b: 0 } }
  await render(<StopButton roll={{ place, stageName: 'Live', isProduction: true, protection, ...targeted }} />)
  await userEvent.click(screen.getByRole('button', { name: 'Stop CHECKOUT in Live' }))
  const dialog = await screen.findByRole('dialog', { name: 'Stop CHECKOUT in Live?' })
  within(dialog).getByText(
    /^You cannot undo this at once: raising the chance again in Live waits for the end of the freeze \(.*20(89|90)/,
  )
  expect(dialog.textContent).toMatch(/This also removes 1 pin\.(?! Undo)/)
  expect(dialog.textContent).not.toContain('approval')
})

/** Reads the projects, as the shell does. */
function Projects() {
  const { data = [] } = useQuery(projectsQuery(useScope()))
  return <p>{data.length} project</p>
}
