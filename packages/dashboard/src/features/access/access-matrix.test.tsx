import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { AccessMatrix } from './access-matrix.tsx'
import { type Named, sourcesBy } from './matrix.ts'
import type { Access, NamedPlace } from './use-access.ts'

const stages = Array.from({ length: 1_000 }, (_, at): NamedPlace => {
  const slug = `stage-${at}`
  return { projectSlug: 'shop', stageSlug: slug, name: slug }
})
const named = Array.from({ length: 1_000 }, (_, at): Named => ({
  principal: { kind: 'email', id: `person-${at}@example.com` },
  name: `person-${at}@example.com`,
  memberRole: 'member',
}))
const access: Access = {
  within: { projectSlug: 'shop' },
  columns: [{ projectSlug: 'shop', name: 'Whole project' }, ...stages],
  places: stages,
  groups: [],
  roles: [],
  named,
  sourcesOf: sourcesBy({
    defaultRole: 'developer',
    groups: [],
    roles: [{ name: 'developer', verbs: ['list', 'read', 'write'], isBuiltIn: true }],
    grants: [],
  }),
}

it('renders only the columns in sight of a thousand', async () => {
  await render(<AccessMatrix access={access} filter={{ search: '', onSearch: () => {} }} onOpen={() => {}} />)
  expect(screen.getAllByRole('row')).toHaveLength(101)
  expect(screen.getAllByRole('columnheader').length).toBeLessThan(20)
})
