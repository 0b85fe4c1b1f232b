import { builtInRoles } from '@rollkey/contract/rules'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { answer } from '../../../testkit/answers.ts'
import { render } from '../../../testkit/render.tsx'
import { type Named, sourcesBy } from '../../data/access/matrix.ts'
import { GrantDrawer } from './grant-drawer.tsx'
import type { Access } from './use-access.ts'

const grace: Named = { principal: { kind: 'user', id: 'grace' }, name: 'Grace', memberRole: 'member' }
const prod = { stageSlug: 'prod', name: 'prod', createdAtMs: 0, revision: 1, isProduction: true, variables: 1 }
const access: Access = {
  within: {},
  columns: [],
  places: [{ projectSlug: 'shop', name: 'Shop', stages: [{ ...prod, updatedAtMs: 0, isProtected: true as const }] }],
  groups: [],
  roles: [],
  named: [grace],
  sourcesOf: sourcesBy({
    defaultRole: 'developer',
    groups: [],
    roles: Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true })),
    grants: [],
  }),
}

it('names the protected stage of a project where someone may do less, and links to where a single stage is granted', async () => {
  const explained = { verbs: ['list', 'read', 'write'], isProtected: false, sources: [] }
  answer({ '/v1/access/explain': explained, '/v1/projects/list': { projects: [] } })
  const target = { named: grace, place: { projectSlug: 'shop' } }
  await render(<GrantDrawer access={access} target={target} onClose={() => {}} />)
  await screen.findByText('They may see names, read values, and change variables.')
  screen.getByText('prod is protected: there, they may see names, but no values.')
  expect(screen.getByRole('link', { name: 'Access of shop' })).toBeDefined()
})

it('opens with the person, the stage and the smallest role that a request names', async () => {
  answer({
    '/v1/access/explain': { verbs: ['list'], isProtected: true, sources: [] },
    '/v1/projects/list': { projects: [] },
  })
  const roles = Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true }))
  const places = [...access.places, { projectSlug: 'shop', stageSlug: 'prod', name: 'prod', isProtected: true }]
  const target = { person: 'grace', place: { projectSlug: 'shop', stageSlug: 'prod' }, verb: 'read' as const }
  await render(<GrantDrawer access={{ ...access, roles, places }} target={target} onClose={() => {}} />)
  await screen.findByRole('dialog', { name: 'Access of Grace' })
  expect(screen.getByLabelText<HTMLSelectElement>(/^Role/).value).toBe('reader')
  expect(screen.getByLabelText<HTMLSelectElement>('Where').selectedOptions[0]?.text).toBe('prod')
})
