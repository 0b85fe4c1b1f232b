import type { Stage } from '@rollkey/sdk/core'
import { fireEvent, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { answer } from '../../../../testkit/answers.ts'
import { render } from '../../../../testkit/render.tsx'
import { type Changes, ChangesContext } from '../../../data/unsaved-changes/changes-context.ts'
import { labels } from './labels.ts'
import { PasteDrawer } from './paste-drawer.tsx'

const onClose = vi.fn<() => void>()
const remove = vi.fn<Changes['remove']>()
const unsaved = { stageSlug: 'dev', name: 'A', before: undefined, entry: undefined, seen: 3 }
const changes: Changes = { pending: [unsaved], add: () => {}, remove, accept: () => {}, review: () => {} }
const dev = { stageSlug: 'dev', name: 'dev', createdAtMs: 0, revision: 3, variables: 0, updatedAtMs: 0 }

interface Written {
  readonly stageSlug: string
  readonly entries: readonly { readonly name: string }[]
}

type Requests = ReturnType<typeof answer>

function writtenBy({ entries }: Written): object {
  return { created: entries.map(({ name }) => name), updated: [], deleted: [], revision: 4 }
}

/** Opens the form and pastes a text. Returns the requests. */
async function paste(text: string, stages: readonly Partial<Stage>[] = [{}], answers: object = {}): Promise<Requests> {
  const requests = answer({
    '/v1/whoami': {},
    '/v1/env/digests': { variables: [], revision: 3 },
    '/v1/env/write': writtenBy,
    ...answers,
  })
  await render(
    <ChangesContext value={changes}>
      <PasteDrawer
        project={{
          projectSlug: 'shop',
          name: 'Shop',
          createdAtMs: 0,
          variables: 0,
          stages: stages.map((each) => ({ ...dev, isProduction: false, ...each })),
        }}
        opened
        onClose={onClose}
      />
    </ChangesContext>,
  )
  fireEvent.change(await screen.findByLabelText(labels.contents), { target: { value: text } })
  return requests
}

function writesOf(requests: Requests): readonly unknown[] {
  return requests.filter(({ path }) => path === '/v1/env/write').map(({ body }) => body)
}

beforeEach(() => vi.resetAllMocks())

test('all new variables get a visibility at once, and each can have another', async () => {
  const requests = await paste('A=1\nB=2')
  await userEvent.selectOptions(screen.getByLabelText(labels.visibilityOfNew), 'Plain')
  await userEvent.selectOptions(screen.getByLabelText(labels.visibilityOf('B')), 'Secret')
  expect(screen.getByLabelText<HTMLSelectElement>(labels.visibilityOfNew).selectedOptions[0]?.text).toBe(labels.mixed)
  await userEvent.click(screen.getByRole('button', { name: 'Save A and B to dev' }))
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  const { declaredType, kind } = { declaredType: 'int64', kind: 'secret' }
  expect(writesOf(requests)).toEqual([
    expect.objectContaining({
      entries: [
        { name: 'A', kind, value: '1', declaredType, exposure: 'plain' },
        { name: 'B', kind, value: '2', declaredType },
      ],
      ifRevision: 3,
    }),
  ])
  // What was typed before is replaced.
  expect(remove).toHaveBeenCalledExactlyOnceWith([unsaved])
})

test('what was left out of a value is said, and does not prevent saving', async () => {
  const requests = await paste('A=hush \nB=2')
  await screen.findByText(labels.notices(1))
  screen.getByText(/^Line 1: The white space around the value of A was left out/)
  await userEvent.click(screen.getByRole('button', { name: 'Save A and B to dev' }))
  await expect.poll(() => writesOf(requests)).toHaveLength(1)
})

test('wrong lines do not prevent saving the others, once they are skipped, and stay named', async () => {
  const requests = await paste('wrong\nA=1\nworse\nB=2')
  await screen.findByText(labels.lines(2))
  screen.getByText(labels.mend(2))
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
  await userEvent.click(screen.getByRole('button', { name: 'Skip these lines' }))
  screen.getByText('2 lines are skipped')
  screen.getByText(/^Line 3: /)
  expect(document.activeElement?.textContent).toBe('Save A and B to dev')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => writesOf(requests)).toMatchObject([{ entries: [{ name: 'A' }, { name: 'B' }] }])
})

test('a line that is refused is marked, and is not counted among what is saved', async () => {
  await paste('A=1\nmy.key=2')
  await screen.findByText(labels.counts('dev', { new: 1, changed: 0, same: 0 }))
  const rows = screen.getAllByRole('listitem').filter((each) => each.dataset['refused'] !== undefined)
  expect(rows.map((each) => [each.dataset['refused'], each.textContent?.includes(labels.refused)])).toEqual([
    ['false', false],
    ['true', true],
  ])
})

test('a name that was skipped is taken once any name is allowed', async () => {
  await paste('A=1\nmy.key=2')
  await userEvent.click(screen.getByRole('button', { name: 'Skip this line' }))
  screen.getByText('1 line is skipped')
  await userEvent.click(screen.getByRole('switch', { name: labels.anyName }))
  expect(screen.queryByText('1 line is skipped')).toBeNull()
  screen.getByRole('button', { name: 'Save A and my.key to dev' })
})

test('values that look harmless become visible by one click', async () => {
  const requests = await paste('PORT=80\nDEBUG=true\nAPI_KEY=12345\nURL=http://example.com')
  screen.getByText('PORT and DEBUG')
  await userEvent.click(screen.getByRole('button', { name: '2 look harmless: make them visible' }))
  expect(screen.queryByText(/look harmless/)).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Save 4 variables to dev' }))
  await expect
    .poll(() => writesOf(requests))
    .toMatchObject([{ entries: [{ exposure: 'plain' }, { exposure: 'plain' }, { name: 'API_KEY' }, { name: 'URL' }] }])
  expect(JSON.stringify(writesOf(requests)).split('plain')).toHaveLength(3)
})

test('production says so and is written last, and a stage that requires approval asks for the reason', async () => {
  const protection = { approvals: 1, selfApproval: false, bypassRole: null, stopVerb: 'write' as const, freezes: [] }
  const stages = [
    { stageSlug: 'prod', name: 'prod', isProduction: true },
    { stageSlug: 'qa', name: 'qa', protection },
    { stageSlug: 'dev', name: 'dev' },
  ]
  const requests = await paste('A=1', stages, { '/v1/changes/propose': { id: 'chg_1' } })
  screen.getByText(/prod is a production stage/)
  await userEvent.click(screen.getByRole('checkbox', { name: 'qa' }))
  await userEvent.click(screen.getByRole('checkbox', { name: 'dev' }))
  await userEvent.click(screen.getByRole('button', { name: /^Save A to/ }))
  screen.getByText('Say why, so that others can review it.')
  expect(writesOf(requests)).toEqual([])
  await userEvent.type(screen.getByLabelText(/^Reason/), 'A new port')
  await userEvent.click(screen.getByRole('button', { name: /^Save A to/ }))
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  expect(writesOf(requests)).toMatchObject([{ stageSlug: 'dev' }, { stageSlug: 'prod' }])
  expect(requests.find(({ path }) => path === '/v1/changes/propose')?.body).toMatchObject({
    stageSlug: 'qa',
    reason: 'A new port',
  })
})

test('a stage that fails keeps the form open, and the others are not written again', async () => {
  let isDown = true
  const error = { code: 'INVALID_REQUEST', message: 'The stage is full: delete variables.', requestId: 'request-1' }
  const requests = await paste('A=1', [{}, { stageSlug: 'prod', name: 'prod', isProduction: true }], {
    '/v1/env/write': (body: Written) =>
      body.stageSlug === 'prod' && isDown ? Response.json({ error }, { status: 400 }) : writtenBy(body),
  })
  await userEvent.click(screen.getByRole('checkbox', { name: /^prod/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Save A to dev and prod' }))
  await screen.findByText(/The stage is full/)
  expect(onClose).not.toHaveBeenCalled()
  isDown = false
  await userEvent.click(screen.getByRole('button', { name: 'Save A to prod' }))
  await expect.poll(() => onClose).toHaveBeenCalledOnce()
  expect(writesOf(requests)).toMatchObject([{ stageSlug: 'dev' }, { stageSlug: 'prod' }, { stageSlug: 'prod' }])
})

test('a text without variables says so', async () => {
  await paste('# nothing')
  expect(await screen.findByText(labels.noVariables)).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
})

test('a file that is not UTF-8 is refused with its line, and one that is UTF-8 is read', async () => {
  await paste('')
  const input = document.querySelector<HTMLInputElement>('input[type=file]')!
  await userEvent.upload(input, new File([new Uint8Array([65, 61, 49, 10, 66, 61, 0xe4])], 'latin1.env'))
  await screen.findByText(labels.notUtf8(2))
  await userEvent.upload(input, new File(['A=ä'], '.env'))
  await screen.findByRole('button', { name: 'Save A to dev' })
  expect(screen.queryByText(labels.notUtf8(2))).toBeNull()
})

test('a long text stays open if its last line, which is not shown yet, is wrong', async () => {
  const long = Array.from({ length: 5 }, (_, at) => `NAME_${at}=${'x'.repeat(5_000)}`).join('\n')
  const requests = await paste(long)
  const save = await screen.findByRole('button', { name: 'Save 5 variables to dev' })
  const field = screen.getByLabelText(labels.contents)
  fireEvent.change(field, { target: { value: `${long}\nwrong` } })
  fireEvent.submit(save.closest('form')!)
  await screen.findByText(labels.lines(1))
  expect(writesOf(requests)).toEqual([])
  expect(onClose).not.toHaveBeenCalled()
})
