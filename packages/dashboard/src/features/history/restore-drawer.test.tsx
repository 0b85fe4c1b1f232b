import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { plan } from '../../../testkit/plan.ts'
import { render } from '../../../testkit/render.tsx'
import { RestoreDrawer } from './restore-drawer.tsx'

const place = { projectSlug: 'shop', stageSlug: 'prod' }

function variable(value: string, exposure: 'plain' | 'secret') {
  return { kind: 'secret', exposure, digests: { value } } as const
}

const present = [
  { name: 'API_KEY', ...variable('d2', 'secret') },
  { name: 'PRICES', ...variable('d21', 'plain') },
]

/** `answers`: others than the usual ones, by path. */
async function open(
  isProduction: boolean,
  answers: Readonly<Record<string, unknown>> = {},
  { names, undone }: { readonly names?: readonly string[]; readonly undone?: number } = {},
) {
  const change = { revision: 8, change: 'updated', writtenAtMs: 0, writtenBy: 'ada' }
  const requests = answer({
    '/v1/whoami': {},
    '/v1/projects/list': { projects: [{ ...place, name: 'Shop', stages: [{ ...place, name: 'prod', isProduction }] }] },
    '/v1/env/digests': { revision: 8, variables: present },
    '/v1/env/history': {
      changes: [
        { ...change, name: 'API_KEY', ...variable('d2', 'secret'), before: variable('d1', 'secret') },
        { ...change, name: 'PRICES', ...variable('d21', 'plain'), before: variable('d20', 'plain') },
        { ...change, revision: 7, name: 'PRICES', ...variable('d20', 'plain'), before: variable('d19', 'plain') },
      ],
    },
    '/v1/env/plain-history': {
      changes: [
        { revision: 8, name: 'PRICES', before: { value: '20' }, after: { value: '21' } },
        { revision: 7, name: 'PRICES', before: { value: '19' }, after: { value: '20' } },
      ],
    },
    '/v1/env/restore': { created: [], updated: ['API_KEY', 'PRICES'], deleted: [], revision: 9 },
    ...answers,
  })
  const restored = vi.fn<(revision: number) => void>()
  const past = { revision: 6, names, ...(undone !== undefined && { undone }) }
  await render(<RestoreDrawer place={place} stage="prod" past={past} onClose={() => {}} onRestored={restored} />)
  const what = names?.join(' and ') ?? 'prod'
  const title = undone === undefined ? `Restore ${what} to revision 6` : `Undo revision ${undone}`
  const drawer = within(await screen.findByRole('dialog', { name: title }))
  const submit = await drawer.findByRole('button', { name: `${title} (2 changed)` })
  return { requests, drawer, submit, restored }
}

test('a restore shows plain values before and after, hides secrets, and says that it changes production', async () => {
  const { drawer } = await open(true)
  drawer.getByText('Brings the whole stage back to revision 6. All later changes are undone.')
  await drawer.findByText('Value 21 → 19')
  expect(drawer.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'API_KEYValue changed',
    'PRICESValue 21 → 19',
  ])
  drawer.getByText(/^prod is a production stage/)
})

test('a restore begins at its button, which the keyboard presses at once', async () => {
  const { requests, drawer, submit, restored } = await open(false)
  expect(drawer.queryByText(/production stage/)).toBeNull()
  await expect.poll(() => document.activeElement).toBe(submit)
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => restored).toHaveBeenCalledWith(9)
  expect(requests.find(({ path }) => path === '/v1/env/restore')?.body).toMatchObject({ revision: 6, ifRevision: 8 })
})

test('a restore that others were faster than is refused once its preview shows what they did', async () => {
  let reads = 0
  const nextRead = Promise.withResolvers<void>()
  const { submit, drawer } = await open(false, {
    '/v1/env/digests': async () => {
      reads++
      if (reads > 1) await nextRead.promise
      return { revision: 8, variables: present }
    },
    '/v1/env/restore': () =>
      Response.json({ error: { code: 'REVISION_CONFLICT', message: 'Moved', requestId: 'r' } }, { status: 409 }),
  })
  await userEvent.click(submit)
  await expect.poll(() => reads).toBe(2)
  expect(drawer.queryByRole('alert')).toBeNull()
  nextRead.resolve()
  await drawer.findByRole('alert')
})

test('a restore of some variables leaves the others as they are', async () => {
  const change = { revision: 8, change: 'updated', writtenAtMs: 0, writtenBy: 'ada' }
  const changed = [...present, { name: 'OTHER', ...variable('d31', 'plain') }]
  const answers = {
    '/v1/env/digests': { revision: 8, variables: changed },
    '/v1/env/history': { changes: changed.map((each) => ({ ...each, ...change, before: variable('d0', 'secret') })) },
  }
  const names = ['API_KEY', 'PRICES']
  const { requests, drawer, submit } = await open(false, answers, { names })
  expect(drawer.getAllByRole('listitem')).toHaveLength(2)
  await userEvent.click(submit)
  await expect
    .poll(() => requests.find(({ path }) => path === '/v1/env/restore')?.body)
    .toMatchObject({ revision: 6, names })
})

test('a restore of a chance names the rollout that it pauses, and one of other rolls is left out', async () => {
  const roll = (chance: number) =>
    ({ kind: 'ab_roll', exposure: 'plain', chance, digests: { a: 'a', b: 'b' } }) as const
  const change = { revision: 8, change: 'updated', writtenAtMs: 0, writtenBy: 'ada' }
  const running = { ...plan, state: 'running' }
  const { drawer } = await open(false, {
    '/v1/env/digests': { revision: 8, variables: ['CHECKOUT', 'OTHER'].map((name) => ({ name, ...roll(0.5) })) },
    '/v1/env/history': {
      changes: ['CHECKOUT', 'OTHER'].map((name) => ({
        ...change,
        name,
        ...roll(0.5),
        before: name === 'OTHER' ? { ...roll(0.5), digests: { a: 'c', b: 'b' } } : roll(0.1),
      })),
    },
    '/v1/env/plain-history': { changes: [] },
    '/v1/changes/list': {
      changes: [
        { ...running, reason: 'Climbing' },
        { ...running, id: 'chg_2', names: ['OTHER'], reason: 'Another one' },
      ],
    },
  })
  const text = await drawer.findByText(/^The rollout “Climbing” \(next: 75% in 12 hours\) will be paused\.$/)
  expect(text.textContent).not.toContain('Another one')
})

test('an undo says which revision it takes back, which state comes back, and what changed again since, which it takes back too', async () => {
  const { drawer } = await open(false, {}, { names: ['API_KEY', 'PRICES'], undone: 7 })
  drawer.getByText('Undoes only revision 7. This brings API_KEY and PRICES back to revision 6.')
  await expect
    .poll(() => drawer.queryByText('2 variables changed again since then. That is undone too.'))
    .not.toBeNull()
})
