import { builtInRoles } from '@rollkey/contract/rules'
import { describe, expect, it } from 'vitest'
import { cellOf, hasAccess, moreThanDirect, type Named, roleWithin, type Rules, sourcesBy } from './matrix.ts'

const roles = Object.entries(builtInRoles).map(([name, verbs]) => ({ name, verbs: [...verbs], isBuiltIn: true }))
const granted = { grantedAtMs: 0, grantedBy: 'ada' }
const onCall = { id: 'g1', name: 'On call', createdAtMs: 0, members: [{ kind: 'user', id: 'grace' } as const] }
const rules: Rules = {
  defaultRole: 'developer',
  roles,
  groups: [onCall],
  grants: [
    {
      principal: { kind: 'group', id: 'g1' },
      projectSlug: 'shop',
      stageSlug: 'prod',
      role: 'developer',
      ...granted,
    },
    { principal: { kind: 'user', id: 'grace' }, projectSlug: 'shop', role: 'viewer', ...granted },
    {
      principal: { kind: 'email', id: 'new@example.com' },
      stageSlug: 'dev',
      projectSlug: 'shop',
      role: 'reader',
      expiresAtMs: 10,
      ...granted,
    },
  ],
}
const sourcesOf = sourcesBy(rules)
const grace: Named = { principal: { kind: 'user', id: 'grace' }, name: 'Grace', memberRole: 'member' }
const ada: Named = { principal: { kind: 'user', id: 'ada' }, name: 'Ada', memberRole: 'owner' }
const prod = { projectSlug: 'shop', stageSlug: 'prod', isProtected: true }

describe('a cell', () => {
  it('has the own grant apart from what comes from around', () => {
    const cell = cellOf(sourcesOf(grace), { projectSlug: 'shop' }, 0)
    expect(cell.direct?.role).toBe('viewer')
    expect(cell.inherited.map(({ from }) => from)).toEqual(['default'])
    expect(cell.verbs).toEqual(['list', 'read', 'write'])
    expect(moreThanDirect(cell)).toEqual(['read', 'write'])
  })

  it('of a protected stage has only what is granted there, also to a group', () => {
    const cell = cellOf(sourcesOf(grace), prod, 0)
    expect(cell.direct).toBeUndefined()
    expect(cell.inherited.map(({ group, from }) => group?.name ?? from)).toEqual(['grant', 'On call', 'default'])
    expect(cell.verbs).toEqual(['list', 'read', 'write'])
    expect(cellOf(sourcesOf(ada), prod, 0).verbs).toEqual(['list', 'manage'])
  })

  it('is empty from the end of a grant on', () => {
    const sources = sourcesOf({ principal: { kind: 'email', id: 'new@example.com' }, name: 'new@example.com' })
    const dev = { projectSlug: 'shop', stageSlug: 'dev' }
    expect(cellOf(sources, dev, 9).verbs).toEqual(['list', 'read'])
    expect(cellOf(sources, dev, 10).verbs).toEqual([])
    expect(hasAccess(sources, { projectSlug: 'shop' }, 9)).toBe(true)
    expect(hasAccess(sources, { projectSlug: 'shop' }, 10)).toBe(false)
  })

  it('of a service token has its role within its scope', () => {
    const token: Named = {
      principal: { kind: 'token', id: 't' },
      name: 'ci',
      token: { role: 'reader', projectSlug: 'shop', stageSlug: 'prod' },
    }
    expect(cellOf(sourcesOf(token), prod, 0).verbs).toEqual(['list', 'read'])
    expect(cellOf(sourcesOf(token), { projectSlug: 'shop' }, 0).verbs).toEqual([])
  })
})

it('names verbs by the strongest role within them', () => {
  expect(roleWithin(['list', 'read', 'write', 'manage'])).toEqual({ role: 'developer', more: ['manage'] })
  expect(roleWithin(['list', 'read', 'write', 'approve', 'manage'])).toEqual({ role: 'maintainer', more: [] })
  expect(roleWithin([])).toEqual({ role: undefined, more: [] })
})
