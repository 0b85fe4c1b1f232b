import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { noProtection } from '@rollkey/contract/rules'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { ExplainDialog } from './explain-dialog.tsx'
import type { Access, NamedPlace } from './use-access.ts'

const prod = { projectSlug: 'shop', stageSlug: 'prod' }
const stageBase = { createdAtMs: 0, revision: 1, isProduction: false, variables: 1, updatedAtMs: 0 }
const access: Access = {
  within: { projectSlug: 'shop' },
  columns: [],
  places: [
    { projectSlug: 'shop', name: 'Whole project shop' },
    { ...prod, name: 'prod' },
  ],
  groups: [{ id: 'g1', name: 'On call', createdAtMs: 0, members: [] }],
  roles: [],
  named: [{ principal: { kind: 'user', id: 'alan' }, name: 'Alan Turing', memberRole: 'member' }],
  sourcesOf: () => [],
}

it('explains which grant gives someone which verb at a place', async () => {
  const requests = answer({
    '/v1/access/explain': {
      verbs: ['list', 'read'],
      isProtected: true,
      sources: [
        { from: 'grant', principal: { kind: 'group', id: 'g1' }, ...prod, role: 'reader', verbs: ['list', 'read'] },
        { from: 'default', role: 'developer', verbs: [] },
      ],
    },
  })
  await render(<ExplainDialog access={access} opened onClose={() => {}} />)
  await userEvent.click(await screen.findByRole('combobox', { name: /^Who/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Alan Turing' }))
  await userEvent.selectOptions(screen.getByLabelText('Where'), 'prod')
  const items = await screen.findAllByRole('listitem')
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'reader, granted on shop/prod to the group On call lets them see names and read values',
    'developer, the default role of every member has no effect here: the stage is protected',
  ])
  expect(requests.at(-1)).toEqual({
    path: '/v1/access/explain',
    body: { orgSlug: 'acme', principal: { kind: 'user', id: 'alan' }, ...prod },
  })
})

it('says for a whole project in which stages someone may do something else', async () => {
  answer({ '/v1/access/explain': { verbs: ['list', 'read'], isProtected: false, sources: [] } })
  const stage = { ...stageBase, stageSlug: 'prod', name: 'prod', isProtected: true as const }
  const places: NamedPlace[] = [
    { projectSlug: 'shop', name: 'Whole project shop' },
    { ...prod, name: 'prod', isProtected: true, stage },
    { projectSlug: 'shop', stageSlug: 'dev', name: 'dev', stage: { ...stageBase, stageSlug: 'dev', name: 'dev' } },
  ]
  const reader = { from: 'default', role: 'reader', verbs: ['list', 'read'] } as const
  await render(<ExplainDialog access={{ ...access, places, sourcesOf: () => [reader] }} opened onClose={() => {}} />)
  await userEvent.click(await screen.findByRole('combobox', { name: /^Who/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Alan Turing' }))
  await screen.findByText('They may see names and read values.')
  screen.getByText('prod is protected: there, they may see names, but no values.')
  expect(screen.queryByText(/^In dev/)).toBeNull()
})

it('says that changes are proposed where they need approval', async () => {
  answer({ '/v1/access/explain': { verbs: ['list', 'read', 'write'], isProtected: true, sources: [] } })
  const named = { stageSlug: 'prod', name: 'prod' }
  const stage = {
    ...stageBase,
    ...named,
    isProtected: true as const,
    protection: { ...noProtection, approvals: 1 },
  }
  const places: NamedPlace[] = [{ ...prod, name: 'prod', isProtected: true, stage }]
  await render(<ExplainDialog access={{ ...access, places }} opened onClose={() => {}} />)
  await userEvent.click(await screen.findByRole('combobox', { name: /^Who/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Alan Turing' }))
  const text = 'Changes are proposed first here, and need 1 approval by others.'
  expect(await screen.findByText(text)).not.toBeNull()
})

it('also explains a stage where the page has projects alone', async () => {
  const requests = answer({ '/v1/access/explain': { verbs: [], isProtected: true, sources: [] } })
  const stages = [{ ...stageBase, stageSlug: 'prod', name: 'Live', isProtected: true as const }]
  const places: NamedPlace[] = [{ name: 'Organization' }, { projectSlug: 'shop', name: 'Web shop', stages }]
  await render(<ExplainDialog access={{ ...access, within: {}, places }} opened onClose={() => {}} />)
  await userEvent.click(await screen.findByRole('combobox', { name: /^Who/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Alan Turing' }))
  await userEvent.selectOptions(screen.getByLabelText('Where'), 'Web shop / Live')
  await expect.poll(() => requests.at(-1)?.body).toMatchObject(prod)
})
