import type { Project } from '@rollkey/sdk/core'
import type { Digested } from '@rollkey/contract'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { cellFocus } from '../../data/projects/commands.ts'
import type { PendingChange } from '../../data/unsaved-changes/change-set.ts'
import { type UnsavedChanges, UnsavedContext } from '../../data/unsaved-changes/changes-context.ts'
import { labels } from './labels.ts'
import { labels as uiLabels } from '../../ui/labels.ts'
import { ProjectChanges } from './unsaved-changes.tsx'

const stored: Digested = { name: 'OLD', kind: 'secret', digests: { value: 'x' } }

function stage(stageSlug: string, isProduction = false): Project['stages'][number] {
  return { stageSlug, name: stageSlug, createdAtMs: 0, revision: 1, isProduction, variables: 1, updatedAtMs: 0 }
}

const project: Project = {
  projectSlug: 'shop',
  name: 'Shop',
  createdAtMs: 0,
  variables: 1,
  stages: [stage('prod', true), stage('dev'), stage('staging')],
}

function added(stageSlug: string, name: string, value: string): PendingChange {
  return { stageSlug, name, before: undefined, entry: { name, kind: 'secret', value }, seen: 1 }
}

const pending = [
  added('prod', 'KEY', 'canary-prod'),
  added('dev', 'KEY', 'canary-dev'),
  { stageSlug: 'dev', name: 'OLD', before: stored, entry: undefined, seen: 1 },
]

interface ReviewedProps {
  readonly shown?: Project
  readonly changes?: readonly PendingChange[]
  /** The changes before the action that asked for the review. */
  readonly before?: readonly PendingChange[]
  readonly children?: ReactNode
}

function Reviewed({ shown = project, changes = pending, before, children = 'The table' }: ReviewedProps) {
  const [byProject, setByProject] = useState<ReadonlyMap<string, readonly PendingChange[]>>(
    new Map([['shop', changes]]),
  )
  const [reviewed, setReviewed] = useState<UnsavedChanges['reviewed']>({
    projectSlug: 'shop',
    ...(before && { before }),
  })
  return (
    <UnsavedContext
      value={{
        byProject,
        update: (slug, next) => setByProject((now) => new Map([[slug, next(now.get(slug) ?? [])]])),
        reviewed,
        setReviewed,
      }}
    >
      <ProjectChanges project={shown}>{children}</ProjectChanges>
    </UnsavedContext>
  )
}

function writtenBy({ entries }: { entries: readonly { name: string }[] }): object {
  return { created: entries.map(({ name }) => name), updated: [], deleted: [], revision: 2 }
}

it('shows what saving does by stage, production last, and no value that is not asked for', async () => {
  answer({})
  await render(<Reviewed />)
  await screen.findByRole('dialog')
  expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual(['dev', 'prod'])
  expect(screen.queryByText(labels.production)).not.toBeNull()
  screen.getByText(/ is a production stage\./)
  expect(document.body.textContent).not.toContain('canary')
  await userEvent.click(screen.getByRole('button', { name: labels.showValueOf('KEY', 'prod') }))
  expect(document.body.textContent).toContain('canary-prod')
  expect(document.body.textContent).not.toContain('canary-dev')
})

it('says that a value ends with a line break', async () => {
  answer({})
  await render(<Reviewed changes={[added('dev', 'KEY', 'a\n')]} />)
  await userEvent.click(await screen.findByRole('button', { name: labels.showValueOf('KEY', 'dev') }))
  expect(screen.queryByText(uiLabels.endsWithBreak)).not.toBeNull()
})

it('saves each stage at once, and leaves out what is removed', async () => {
  const requests = answer({ '/v1/env/write': writtenBy })
  await render(<Reviewed />)
  await screen.findByRole('dialog')
  await userEvent.click(screen.getByRole('button', { name: labels.removeOf('OLD', 'dev') }))
  await userEvent.click(screen.getByRole('button', { name: 'Save 2 changes to dev and prod' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  const writes = requests.filter(({ path }) => path === '/v1/env/write').map(({ body }) => body)
  expect(writes).toMatchObject([
    { stageSlug: 'dev', entries: [{ name: 'KEY' }], deletes: [], ifRevision: 1 },
    { stageSlug: 'prod', entries: [{ name: 'KEY' }] },
  ])
  expect(screen.queryByText(/^Draft/)).toBeNull()
})

it('begins in the reason where a stage requires approval, and asks for it', async () => {
  const requests = answer({ '/v1/env/write': writtenBy, '/v1/changes/propose': { id: 'chg_1' } })
  const protection = { approvals: 1, selfApproval: false, bypassRole: null, stopVerb: 'write' as const, freezes: [] }
  const stages = [{ ...stage('prod', true), protection }, stage('dev')]
  await render(<Reviewed shown={{ ...project, stages }} />)
  const reason = await screen.findByLabelText(/^Reason/)
  await expect.poll(() => document.activeElement).toBe(reason)
  await userEvent.click(screen.getByRole('button', { name: 'Save 3 changes to dev and prod' }))
  screen.getByText('Say why, so that others can review it.')
  expect(document.activeElement).toBe(reason)
  expect(requests.filter(({ path }) => /write|propose/.test(path))).toEqual([])
  await userEvent.type(reason, 'A new key')
  await userEvent.click(screen.getByRole('button', { name: 'Save 3 changes to dev and prod' }))
  await expect
    .poll(() => requests)
    .toContainEqual({
      path: '/v1/changes/propose',
      body: expect.objectContaining({ stageSlug: 'prod', reason: 'A new key', entries: [pending[0]?.entry] }),
    })
})

it('stays in the table after a proposal, with a way to the change and an undo, and the focus on its cell', async () => {
  const requests = answer({ '/v1/changes/propose': { id: 'chg_1' }, '/v1/changes/withdraw': {} })
  const protection = { approvals: 1, selfApproval: false, bypassRole: null, stopVerb: 'write' as const, freezes: [] }
  await render(
    <>
      <Reviewed
        shown={{ ...project, stages: [{ ...stage('prod', true), protection }] }}
        changes={[added('prod', 'KEY', '1')]}
      >
        <button type="button" data-focus={cellFocus('prod', 'KEY')}>
          The cell
        </button>
      </Reviewed>
      <Toasts />
    </>,
  )
  await userEvent.type(await screen.findByLabelText(/^Reason/), 'A new key')
  await userEvent.click(screen.getByRole('button', { name: 'Propose 1 change to prod' }))
  const text = await screen.findByText('Proposed the change of KEY in prod')
  const confirmation = within(text.closest<HTMLElement>('[role=status]')!)
  await expect.poll(() => document.activeElement?.textContent).toBe('The cell')
  confirmation.getByRole('button', { name: 'Show the change' })
  await userEvent.click(confirmation.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Withdrew the change of KEY')
  expect(requests.map(({ path }) => path)).toContain('/v1/changes/withdraw')
})

it('gives the focus to the first of the saved variables', async () => {
  answer({ '/v1/env/write': writtenBy })
  const cells = ['A', 'B'].map((name) => (
    <button key={name} type="button" data-focus={cellFocus('dev', name)}>
      {name}
    </button>
  ))
  await render(
    <Reviewed changes={[added('prod', 'B', '1'), added('dev', 'B', '1'), added('dev', 'A', '1')]}>{cells}</Reviewed>,
  )
  await userEvent.click(await screen.findByRole('button', { name: 'Save 3 changes to dev and prod' }))
  await expect.poll(() => document.activeElement?.textContent).toBe('A')
})

it('keeps what is not saved where a stage fails', async () => {
  const error = { code: 'INVALID_REQUEST', message: 'The stage is full: delete variables.', requestId: 'request-1' }
  answer({
    '/v1/env/write': (body: { stageSlug: string; entries: { name: string }[] }) =>
      body.stageSlug === 'prod' ? Response.json({ error }, { status: 400 }) : writtenBy(body),
  })
  await render(<Reviewed />)
  await screen.findByRole('dialog')
  await userEvent.click(screen.getByRole('button', { name: 'Save 3 changes to dev and prod' }))
  await screen.findByText(/The stage is full/)
  expect(screen.queryByText(labels.bar(1, 'prod'))).not.toBeNull()
})

it('drops on Cancel what only the review was asked for, and keeps the rest', async () => {
  answer({})
  await render(<Reviewed before={pending.slice(0, 1)} />)
  await screen.findByRole('dialog')
  await userEvent.click(screen.getByRole('button', { name: labels.cancel }))
  expect(await screen.findByText(labels.bar(1, 'prod'))).not.toBeNull()
})

it('names what is unsaved and where, and discards it only after a question', async () => {
  answer({})
  await render(<Reviewed />)
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(screen.queryByText('Draft: 3 changes in prod and dev')).not.toBeNull()
  await userEvent.click(screen.getByRole('button', { name: labels.discard }))
  await userEvent.click(await screen.findByRole('button', { name: labels.discardButton }))
  await expect.poll(() => screen.queryByText(/^Draft/)).toBeNull()
})
