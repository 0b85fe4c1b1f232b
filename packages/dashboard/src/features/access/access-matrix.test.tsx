import { builtInRoles } from '@rollkey/contract/rules'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { render } from '../../../testkit/render.tsx'
import { AccessMatrix } from './access-matrix.tsx'
import type { GrantTarget } from './grant-drawer.tsx'
import { type Named, sourcesBy } from '../../data/access/matrix.ts'
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

/** Makes the window as narrow as a phone. */
function usePhone(): void {
  const match = globalThis.matchMedia
  vi.stubGlobal('matchMedia', (media: string) => Object.assign(match(media), { matches: true }))
}

function person(name: string, memberRole: 'owner' | 'member' = 'member'): Named {
  return { principal: { kind: 'user', id: name }, name, memberRole }
}

const few: Access = {
  ...access,
  columns: access.columns.slice(0, 5),
  named: [person('Ada', 'owner'), person('Alan'), person('Grace')],
  sourcesOf: sourcesBy({
    defaultRole: 'developer',
    groups: [],
    roles: Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true })),
    grants: [
      {
        principal: { kind: 'user', id: 'Alan' },
        projectSlug: 'shop',
        stageSlug: 'stage-1',
        role: 'maintainer',
        grantedAtMs: 0,
        grantedBy: 'ada',
        expiresAtMs: Date.now() + 30 * 86_400_000,
      },
    ],
  }),
}

it('says in each cell what is granted there, and what someone may do beyond the role', async () => {
  await render(<AccessMatrix access={few} filter={{ search: '', onSearch: () => {} }} onOpen={() => {}} />)
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent.trim())
  expect(cells).toContain('Alan in stage-1: maintainer granted here, ends in 30 days')
  screen.getByText(/^Without “granted here”/)
  expect(cells).toContain('Ada in stage-1: developer may also manage')
  expect(cells).toContain('Grace in stage-1: developer')
})

it('has on a phone one line for the stages where someone may do the same', async () => {
  usePhone()
  const onOpen = vi.fn<(target: GrantTarget) => void>()
  await render(<AccessMatrix access={few} filter={{ search: '', onSearch: () => {} }} onOpen={onOpen} />)
  const lines = screen.getAllByRole('listitem').map(({ textContent }) => textContent.trim())
  expect(lines).toEqual([
    'developer in all 4 stages may also manage',
    'maintainer in stage-1 granted here, ends in 30 days',
    'developer in the 3 other stages',
    'developer in all 4 stages',
  ])
  await userEvent.click(screen.getByRole('button', { name: /^maintainer in stage-1/ }))
  expect(onOpen.mock.lastCall?.[0]).toMatchObject({ named: { name: 'Alan' }, place: { stageSlug: 'stage-1' } })
})

it('has the menus of the stages on a phone, too', async () => {
  usePhone()
  const stage = {
    stageSlug: 'stage-1',
    name: 'stage-1',
    createdAtMs: 0,
    revision: 1,
    isProduction: false,
    variables: 1,
    updatedAtMs: 0,
  }
  const columns = few.columns.map((place) => (place.stageSlug === stage.stageSlug ? { ...place, stage } : place))
  await render(
    <AccessMatrix access={{ ...few, columns }} filter={{ search: '', onSearch: () => {} }} onOpen={() => {}} />,
  )
  await userEvent.click(screen.getByRole('button', { name: 'stage-1, actions' }))
  expect(await screen.findByRole('menuitem', { name: 'Protect stage-1…' })).toBeDefined()
})

it('names what someone has in the stages of a project where it is something else', async () => {
  const stageOf = (name: string, isProtected: boolean) => ({
    stageSlug: name,
    name,
    createdAtMs: 0,
    revision: 1,
    isProduction: false,
    variables: 0,
    updatedAtMs: 0,
    ...(isProtected && { isProtected: true as const }),
  })
  const within = [stageOf('dev', false), stageOf('stage-1', false), stageOf('staging', true), stageOf('prod', true)]
  const shop: NamedPlace = { projectSlug: 'shop', name: 'shop', stages: within }
  const organization: Access = { ...few, within: {}, columns: [{ name: 'Whole organization' }, shop] }
  const eve: Named = { principal: { kind: 'user', id: 'Eve' }, name: 'Eve' }
  // She has what is granted to Alan, and no default role.
  const sourcesOf: Access['sourcesOf'] = (each) =>
    few.sourcesOf(each === eve ? { ...eve, principal: { kind: 'user', id: 'Alan' } } : each)
  const all = { ...organization, named: [...few.named, eve], sourcesOf }
  await render(<AccessMatrix access={all} filter={{ search: '', onSearch: () => {} }} onOpen={() => {}} />)
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent.trim())
  expect(cells).toContain('Grace in shop: developer staging and prod: viewer')
  expect(cells).toContain('Alan in shop: developer stage-1: maintainer · staging and prod: viewer')
  expect(cells).toContain('Eve in shop: maintainer in stage-1')
  expect(screen.queryByText(/granted here/)).toBeNull()
})

it('says beside the role on a stage whom it is granted to, or what the protection takes away', async () => {
  const releasers = {
    id: 'g1',
    name: 'Releasers',
    createdAtMs: 0,
    members: ['Ada', 'Grace'].map((id) => ({ kind: 'user' as const, id })),
  }
  const at = { projectSlug: 'shop', stageSlug: 'prod' }
  const guarded: Access = {
    ...few,
    columns: [
      { projectSlug: 'shop', name: 'Whole project' },
      { ...at, name: 'prod', isProtected: true },
    ],
    groups: [releasers],
    sourcesOf: sourcesBy({
      defaultRole: 'developer',
      groups: [releasers],
      roles: Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true })),
      grants: [{ principal: { kind: 'group', id: 'g1' }, ...at, role: 'releaser', grantedAtMs: 0, grantedBy: 'ada' }],
    }),
  }
  await render(<AccessMatrix access={guarded} filter={{ search: '', onSearch: () => {} }} onOpen={() => {}} />)
  const cells = screen.getAllByRole('cell').map(({ textContent }) => textContent.trim())
  expect(cells).toContain('Grace in prod: releaser granted to Releasers')
  // No one granted an owner the role that has all of their verbs.
  expect(cells).toContain('Ada in prod: releaser granted to Releasers · may also manage')
  expect(cells).toContain('Alan in prod: viewer less than developer, as the stage is protected')
})
