import type { Project } from '@rollkey/sdk/core'
import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { Digested } from '@rollkey/contract'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { plan } from '../../../../testkit/plan.ts'
import { Toasts } from '../../../ui/toasts.tsx'
import { CopyDrawer } from './copy-drawer.tsx'

function secret(name: string, value: string): Digested {
  return { name, kind: 'secret', exposure: 'plain', digests: { value } }
}

const contents: Readonly<Record<string, readonly Digested[]>> = {
  staging: [secret('CHANGED', 'new'), secret('FRESH', 'x'), secret('SAME', 'same')],
  prod: [secret('CHANGED', 'old'), secret('ONLY_PROD', 'y'), secret('SAME', 'same')],
}

function stage(stageSlug: string, approvals: number) {
  const protection = { approvals, selfApproval: false, bypassRole: null, stopVerb: 'write' as const, freezes: [] }
  return {
    stageSlug,
    name: stageSlug,
    createdAtMs: 0,
    revision: 3,
    isProduction: false,
    variables: 3,
    updatedAtMs: 0,
    protection,
  }
}

/** Answers what the form asks, and returns the project. */
function answerFor(approvals: number, waiting: readonly object[] = []) {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/digests': ({ stageSlug }: { stageSlug: string }) => ({ variables: contents[stageSlug], revision: 3 }),
    '/v1/env/plain': ({ stageSlug }: { stageSlug: string }) => ({
      variables: (contents[stageSlug] ?? []).map(({ name, kind, digests }) => ({
        name,
        kind,
        value: digests['value'],
        exposure: 'plain',
      })),
    }),
    '/v1/env/copy': { created: ['FRESH'], updated: [], deleted: [], revision: 4 },
    '/v1/changes/propose': { id: 'chg_1' },
    '/v1/changes/list': { changes: waiting },
  })
  const [from, to] = [stage('staging', 0), stage('prod', approvals)]
  const project: Project = { projectSlug: 'shop', name: 'Shop', createdAtMs: 0, variables: 6, stages: [from, to] }
  return { requests, project, from, to }
}

async function openPromotion(approvals: number, waiting?: readonly object[]) {
  const { requests, project, from, to } = answerFor(approvals, waiting)
  await render(
    <>
      <CopyDrawer project={project} promotion={{ from, to }} opened onClose={() => {}} />
      <Toasts />
    </>,
  )
  const drawer = within(await screen.findByRole('dialog', { name: 'Promote staging → prod' }))
  await drawer.findByLabelText(/^CHANGED.*Different$/)
  return { requests, drawer }
}

test('a promotion says what is new, different, only there and equal, with plain values', async () => {
  const { requests, drawer } = await openPromotion(0)
  drawer.getByLabelText(/^FRESH.*New$/)
  within(drawer.getByText('Only in prod: 1 (kept)').parentElement ?? document.body).getByText('ONLY_PROD')
  within(drawer.getByText('Equal: 1 variable').parentElement ?? document.body).getByText('SAME')
  expect(await drawer.findByLabelText(/^CHANGED.*old.*new/)).not.toBeNull()
  // What differs may do so on purpose.
  expect(drawer.getByLabelText<HTMLInputElement>(/^CHANGED/).checked).toBe(false)
  await userEvent.click(drawer.getByRole('button', { name: 'Promote 1 variable to prod' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/env/copy')
  expect(requests.find(({ path }) => path === '/v1/env/copy')?.body).toMatchObject({
    from: { stageSlug: 'staging' },
    to: { stageSlug: 'prod' },
    names: ['FRESH'],
  })
  await screen.findByText('Promoted FRESH to prod')
})

test('a promotion to a stage that requires approval is proposed', async () => {
  const { requests, drawer } = await openPromotion(1)
  await userEvent.type(drawer.getByLabelText(/^Reason/), 'Release 7')
  await userEvent.click(drawer.getByLabelText('All 2'))
  await userEvent.click(drawer.getByRole('button', { name: 'Propose 2 variables for prod' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/changes/propose')
  expect(requests.find(({ path }) => path === '/v1/changes/propose')?.body).toMatchObject({
    reason: 'Release 7',
    stageSlug: 'prod',
    copy: { from: { stageSlug: 'staging' }, names: ['CHANGED', 'FRESH'] },
  })
})

test('what an open change of the target proposes says so, and is not chosen at first', async () => {
  const { requests, drawer } = await openPromotion(1, [{ ...plan, names: ['FRESH'] }])
  const proposed = await drawer.findByLabelText<HTMLInputElement>(/^FRESH.*Proposed$/)
  drawer.getByText('1 variable waits in open changes of prod, so it is not chosen at first.')
  expect(proposed.checked).toBe(false)
  await userEvent.click(drawer.getByLabelText('All others, 1'))
  expect(proposed.checked).toBe(false)
  await userEvent.type(drawer.getByLabelText(/^Reason/), 'Release 8')
  await userEvent.click(drawer.getByRole('button', { name: 'Propose 1 variable for prod' }))
  await expect.poll(() => requests.map(({ path }) => path)).toContain('/v1/changes/propose')
  expect(requests.find(({ path }) => path === '/v1/changes/propose')?.body).toMatchObject({
    copy: { names: ['CHANGED'] },
  })
})

test('a copy of a selection names what it leaves, also what the person leaves out', async () => {
  const { project } = answerFor(0)
  const selected = new Set(['CHANGED', 'FRESH', 'SAME'])
  await render(<CopyDrawer project={project} from="staging" to="prod" selected={selected} opened onClose={() => {}} />)
  const drawer = within(await screen.findByRole('dialog', { name: 'Copy to stage' }))
  await drawer.findByText('1 will be added and 1 will be replaced in prod. SAME stays as it is.')
  await userEvent.click(drawer.getByLabelText(/^FRESH/))
  expect(drawer.queryByText('1 will be replaced in prod. FRESH and SAME stay as they are.')).not.toBeNull()
})
