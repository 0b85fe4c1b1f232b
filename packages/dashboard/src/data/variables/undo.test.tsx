import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { explain } from '../../service/errors.ts'
import type { Saved } from './write.ts'
import { useUndo } from './undo.ts'

const inDev: Saved = {
  place: { projectSlug: 'shop', stageSlug: 'dev' },
  before: 4,
  revision: 5,
  names: ['A'],
  isNew: false,
}
const inProd: Saved = { ...inDev, place: { projectSlug: 'shop', stageSlug: 'prod' }, before: 0, revision: 1 }
const written = { created: [], updated: ['A'], deleted: [], revision: 9 }

let outcome = ''

function UndoButton({ saved }: { readonly saved: readonly Saved[] }) {
  const [{ undo, redo }] = useState(useUndo()(saved))
  if (!undo || !redo) return 'No undo'
  const run = (step: () => Promise<unknown>) => (): void => {
    step().then(
      (done) => (outcome = String(done)),
      (error: unknown) => (outcome = explain(error)),
    )
  }
  return (
    <>
      <button type="button" onClick={run(undo)}>
        Undo
      </button>
      <button type="button" onClick={run(redo)}>
        Redo
      </button>
    </>
  )
}

async function outcomeOf(...saved: Saved[]): Promise<string> {
  outcome = ''
  await render(<UndoButton saved={saved} />)
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await expect.poll(() => outcome).not.toBe('')
  return outcome
}

it('restores the revision before in every stage; what began a stage is deleted', async () => {
  const requests = answer({ '/v1/env/restore': written, '/v1/env/write': written })
  expect(await outcomeOf(inDev, inProd)).toBe('A is as before in dev and prod')
  const undone = requests.filter(({ path }) => path !== '/v1/projects/list' && path.startsWith('/v1/env'))
  expect(undone).toMatchObject([
    { path: '/v1/env/write', body: { stageSlug: 'prod', deletes: ['A'], ifRevision: 1 } },
    { path: '/v1/env/restore', body: { stageSlug: 'dev', revision: 4, names: ['A'], ifRevision: 5 } },
  ])
})

it('deletes what was added', async () => {
  const requests = answer({ '/v1/env/write': { ...written, updated: [], deleted: ['A'] } })
  expect(await outcomeOf({ ...inDev, isNew: true })).toBe('A is no longer in dev')
  expect(requests).toContainEqual(
    expect.objectContaining({
      path: '/v1/env/write',
      body: expect.objectContaining({ deletes: ['A'], ifRevision: 5 }),
    }),
  )
})

it('does again what it took back: restores the revision of the save, and after that the one before', async () => {
  const revisions = [9, 10, 11].values()
  const requests = answer({ '/v1/env/restore': () => ({ ...written, revision: revisions.next().value }) })
  await outcomeOf(inDev)
  for (const name of ['Redo', 'Undo']) {
    outcome = ''
    await userEvent.click(screen.getByRole('button', { name }))
    await expect.poll(() => outcome).not.toBe('')
  }
  expect(requests.flatMap(({ path, body }) => (path === '/v1/env/restore' ? [body] : []))).toMatchObject([
    { revision: 4, names: ['A'], ifRevision: 5 },
    { revision: 8, names: ['A'], ifRevision: 9 },
    { revision: 9, names: ['A'], ifRevision: 10 },
  ])
})

it('leaves a variable that someone changed since, and says so', async () => {
  const error = { code: 'REVISION_CONFLICT', message: 'The stage is at revision 6.', requestId: 'request-1' }
  const change = {
    revision: 6,
    name: 'A',
    change: 'updated',
    writtenAtMs: 0,
    writtenBy: 'grace',
    kind: 'secret',
    digests: {},
  }
  answer({
    '/v1/env/restore': () => Response.json({ error }, { status: 409 }),
    '/v1/env/history': { changes: [change, { ...change, revision: 5 }] },
    '/v1/env/write': written,
    '/identity/organization/list-members': { members: [] },
  })
  expect(await outcomeOf(inDev)).toBe(
    'grace changed A in dev since, so it stays as it is. The history has both changes.',
  )
})

it('is not offered where a request would not undo all of it', async () => {
  await render(<UndoButton saved={[{ ...inDev, names: Array.from({ length: 1_001 }, (_, at) => `A${at}`) }]} />)
  expect(screen.queryByText('No undo')).not.toBeNull()
})
