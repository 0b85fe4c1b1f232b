import { builtInRoles, type Verb, verbs as allVerbs } from '@rollkey/contract/rules'
import { describe, expect, it } from 'vitest'
import { cellOf, hasAccess, linesOf, type Named, roleOf, type Rules, type Source, sourcesBy } from './matrix.ts'

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
    expect(roleOf(cell, { projectSlug: 'shop' })).toMatchObject({ role: 'viewer', more: ['read', 'write'] })
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

it('names a cell by the strongest role that is granted, and only without one by what the verbs amount to', () => {
  const named = (...sources: Partial<Source>[]) => {
    const inherited = sources.map((source): Source => ({ from: 'grant', verbs: [], ...source }))
    const all = inherited.flatMap(({ verbs }) => verbs)
    const { role, more } = roleOf(
      { direct: undefined, inherited, verbs: allVerbs.filter((verb) => all.includes(verb)) },
      prod,
    )
    return { role, more }
  }
  const releaser: Partial<Source> = { role: 'releaser', verbs: ['list', 'read', 'write', 'approve'] }
  const developer: Partial<Source> = { role: 'developer', verbs: ['list', 'read', 'write'] }
  const admin: Partial<Source> = { from: 'admin', verbs: ['list', 'manage'] }
  expect(named(developer, releaser, admin)).toEqual({ role: 'releaser', more: ['manage'] })
  expect(named(admin)).toEqual({ role: 'viewer', more: ['manage'] })
  expect(named()).toEqual({ role: undefined, more: [] })
})

describe('the lines of a card', () => {
  const stages = ['dev', 'staging', 'prod']
  const shown = (role: string, verbs: readonly Verb[], isGranted = false) => ({
    role,
    verbs,
    details: [],
    direct: isGranted ? { from: 'grant' as const, role, verbs } : undefined,
  })
  const lines = (at: Readonly<Record<string, ReturnType<typeof shown>>>) =>
    linesOf('all', stages, (place) => at[place] ?? shown('none', [])).map(({ shown: { role }, places, isRest }) =>
      [role, ...places, ...(isRest ? ['and no other line'] : [])].join(' '),
    )

  it('are one where all are equal', () => {
    expect(lines({})).toEqual(['none dev staging prod and no other line'])
  })

  it('have those that most places share last', () => {
    expect(lines({ prod: shown('viewer', ['list']) })).toEqual(['viewer prod', 'none dev staging and no other line'])
  })

  it('name what is around if something is granted there, or if it is like no place', () => {
    const reader = shown('reader', ['list', 'read'])
    const all = { dev: reader, staging: reader, prod: reader }
    expect(lines({ ...all, all: shown('reader', ['list', 'read'], true) })[0]).toBe('reader all')
    expect(lines({ ...all, all: reader })).toHaveLength(1)
    expect(lines(all)[0]).toBe('none all')
  })
})
