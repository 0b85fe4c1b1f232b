import { describe, expect, test } from 'vitest'
import {
  allows,
  builtInRoles,
  effectiveVerbs,
  isVisible,
  visibleStages,
  verbs,
  type GuardedPlace,
  type Verb,
  type VerbGrant,
} from '@rollkey/contract'

const prod = { projectSlug: 'shop', stageSlug: 'prod' }
const dev = { projectSlug: 'shop', stageSlug: 'dev' }
const guarded = { ...prod, isProtected: true }
const { viewer, reader, developer, releaser, maintainer } = builtInRoles
const now = 1_000

/** Grants, a place and the verbs there, written by hand. */
const table: [string, VerbGrant[], GuardedPlace, Verb[]][] = [
  ['no grant', [], prod, []],
  ['viewer of the organization', [{ verbs: viewer }], prod, ['list']],
  ['reader of the organization', [{ verbs: reader }], prod, ['list', 'read']],
  ['developer of the organization', [{ verbs: developer }], prod, ['list', 'read', 'write']],
  ['releaser of the organization', [{ verbs: releaser }], prod, ['list', 'read', 'write', 'approve']],
  ['maintainer of the organization', [{ verbs: maintainer }], prod, [...verbs]],
  ['developer of the organization, in the organization', [{ verbs: developer }], {}, ['list', 'read', 'write']],
  ['developer of the organization, in a project', [{ verbs: developer }], { projectSlug: 'shop' }, [...developer]],
  ['developer of the project', [{ verbs: developer, projectSlug: 'shop' }], prod, [...developer]],
  ['developer of the project, in the organization', [{ verbs: developer, projectSlug: 'shop' }], {}, []],
  ['developer of another project', [{ verbs: developer, projectSlug: 'blog' }], prod, []],
  ['developer of the stage', [{ verbs: developer, ...prod }], prod, [...developer]],
  ['developer of the stage, in its project', [{ verbs: developer, ...prod }], { projectSlug: 'shop' }, []],
  ['developer of another stage', [{ verbs: developer, ...dev }], prod, []],
  ['developer of the same slug elsewhere', [{ verbs: developer, projectSlug: 'blog', stageSlug: 'prod' }], prod, []],
  [
    'viewer of the organization and developer of the stage',
    [{ verbs: viewer }, { verbs: developer, ...prod }],
    prod,
    [...developer],
  ],
  ['a custom role without read', [{ verbs: ['list', 'write'], ...prod }], prod, ['list', 'write']],
  [
    'roles that add up',
    [{ verbs: ['list', 'write'] }, { verbs: reader, projectSlug: 'shop' }],
    prod,
    ['list', 'read', 'write'],
  ],
  ['protected: maintainer of the organization', [{ verbs: maintainer }], guarded, ['list', 'manage']],
  ['protected: maintainer of the project', [{ verbs: maintainer, projectSlug: 'shop' }], guarded, ['list', 'manage']],
  ['protected: maintainer of the stage', [{ verbs: maintainer, ...prod }], guarded, [...verbs]],
  [
    'protected: developer of the organization and reader of the stage',
    [{ verbs: developer }, { verbs: reader, ...prod }],
    guarded,
    ['list', 'read'],
  ],
  ['a grant in its last millisecond', [{ verbs: viewer, expiresAtMs: now + 1 }], prod, ['list']],
  ['a grant that expires now', [{ verbs: viewer, expiresAtMs: now }], prod, []],
  ['an expired grant beside a valid one', [{ verbs: reader, expiresAtMs: 1 }, { verbs: viewer }], prod, ['list']],
]

describe('the verbs at a place', () => {
  test.each(table)('%s', (_, grants, place, expected) => {
    expect(effectiveVerbs(grants, place, now)).toEqual(expected)
    for (const verb of verbs) expect(allows(grants, verb, place, now), verb).toBe(expected.includes(verb))
  })
})

/** All sets of up to two grants of two verbs each, over two projects of two stages. */
const places: GuardedPlace[] = [
  {},
  ...['shop', 'blog'].flatMap((projectSlug) => [
    { projectSlug },
    ...['dev', 'prod'].map((stageSlug) => ({ projectSlug, stageSlug, isProtected: stageSlug === 'prod' })),
  ]),
]
const single: VerbGrant[] = places.flatMap(({ projectSlug, stageSlug }) =>
  [viewer, reader, developer, releaser, maintainer, ['list', 'manage'] as const].flatMap((role) =>
    [undefined, now].map((expiresAtMs) => ({ verbs: role, projectSlug, stageSlug, expiresAtMs })),
  ),
)

test('grants add up: what several give is what each of them gives, and nothing else', () => {
  const wrong = single.flatMap((a) =>
    single.flatMap((b) =>
      places.filter((place) => {
        const together = effectiveVerbs([a, b], place, now)
        const each = new Set([...effectiveVerbs([a], place, now), ...effectiveVerbs([b], place, now)])
        return together.join() !== verbs.filter((verb) => each.has(verb)).join()
      }),
    ),
  )
  expect(wrong).toEqual([])
})

test('who has a verb has list, and sees the place and everything around it', () => {
  for (const grant of single) {
    for (const place of places) {
      const found = effectiveVerbs([grant], place, now)
      expect(found.length === 0 || found.includes('list')).toBe(true)
      if (found.length === 0) continue
      const { projectSlug } = place
      for (const around of [place, { projectSlug }, {}]) expect(isVisible([grant], around, now)).toBe(true)
    }
  }
})

test('a place is visible exactly if there is a verb at it or within it', () => {
  for (const grant of single) {
    for (const place of places) {
      const within = places.filter(
        ({ projectSlug, stageSlug }) =>
          (place.projectSlug === undefined || place.projectSlug === projectSlug) &&
          (place.stageSlug === undefined || place.stageSlug === stageSlug),
      )
      const expected = within.some((each) => effectiveVerbs([grant], each, now).length > 0)
      expect(isVisible([grant], place, now), JSON.stringify({ grant, place })).toBe(expected)
    }
  }
})

test('protection takes away read, write and approve, and gives nothing', () => {
  for (const grant of single) {
    const open = effectiveVerbs([grant], prod, now)
    const closed = effectiveVerbs([grant], guarded, now)
    const isOnStage = grant.stageSlug !== undefined
    expect(closed).toEqual(isOnStage ? open : open.filter((verb) => verb === 'list' || verb === 'manage'))
  }
})

test('the visible stages of a project are those that are visible one by one', () => {
  const around = [
    {},
    { projectSlug: 'shop' },
    prod,
    dev,
    { projectSlug: 'blog' },
    { projectSlug: 'blog', stageSlug: 'qa' },
  ]
  const grants = around.flatMap((place) => [
    { ...place, verbs: viewer },
    { ...place, verbs: viewer, expiresAtMs: now },
  ])
  for (const first of [undefined, ...grants])
    for (const second of [undefined, ...grants]) {
      const both = [first, second].filter((grant) => grant !== undefined)
      const found = visibleStages(both, 'shop', now)
      for (const stageSlug of ['prod', 'dev', 'qa', 'later'])
        expect(found === 'all' || found.has(stageSlug)).toBe(isVisible(both, { projectSlug: 'shop', stageSlug }, now))
    }
})
