import { describe, expect, it } from 'vitest'
import type { ListedRoll, Project } from '@rollkey/sdk/core'
import { filtered, isDone, listed, sorted } from './roll-list.ts'
import { rollsSearch } from './rolls-search.ts'

function stage(stageSlug: string, isProduction = false) {
  return { stageSlug, name: stageSlug.toUpperCase(), isProduction, createdAtMs: 0, variables: 1, revision: 1 }
}

const projects = [
  { projectSlug: 'shop', name: 'The Shop', createdAtMs: 0, stages: [stage('dev'), stage('prod', true)] },
] as unknown as readonly Project[]

function roll(name: string, stageSlug: string, chance: number, a = 0, b = 0): ListedRoll {
  const counts = { a, b }
  return {
    projectSlug: 'shop',
    stageSlug,
    name,
    chance,
    createdAtMs: 0,
    updatedAtMs: 0,
    chanceSinceMs: 1000 * chance,
    served: { a: 2 * a, b: 2 * b },
    sinceChance: counts,
  }
}

const dayMs = 86_400_000

const rolls = listed(
  [
    roll('FITS', 'dev', 0.25, 250, 750),
    roll('DIFFERS', 'prod', 0.5, 900, 100),
    roll('NEW', 'prod', 0.1, 1, 3),
    roll('OVER', 'prod', 0),
    roll('EVERYONE', 'dev', 1, 10, 0),
    roll('ELSEWHERE', 'deleted', 0.5),
  ],
  projects,
)

function names(list: readonly { readonly name: string }[]): string[] {
  return list.map(({ name }) => name)
}

describe('the list of rolls', () => {
  it('judges what was served since the chance is what it is', () => {
    expect(rolls.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['FITS', 'fits'],
      ['DIFFERS', 'differs'],
      ['NEW', 'unknown'],
      ['OVER', undefined],
      ['EVERYONE', undefined],
    ])
  })

  it('has the share of A and where it is expected, if anything was served', () => {
    const [fits, , , over, everyone] = rolls
    expect(fits?.share).toBe(0.25)
    // 1.96 * sqrt(0.25 * 0.75 / 1,000) = 0.0268.
    expect(fits?.expected?.low).toBeCloseTo(0.2232, 4)
    expect([over?.share, over?.expected]).toEqual([undefined, undefined])
    expect([everyone?.share, everyone?.expected]).toEqual([1, { low: 1, high: 1 }])
  })

  it.each<[string, ListedRoll[], boolean]>([
    ['all stages give everyone A', [roll('R', 'dev', 1), roll('R', 'prod', 1)], true],
    ['production still rolls out', [roll('R', 'dev', 1), roll('R', 'prod', 0.5)], false],
    ['the stages give different sides', [roll('R', 'dev', 1), roll('R', 'prod', 0)], false],
    ['a rule gives some the other side', [roll('R', 'dev', 0), { ...roll('R', 'prod', 0), ruleCount: 1 }], false],
    ['a pin does', [roll('R', 'dev', 0), { ...roll('R', 'prod', 0), pinned: { a: 1, b: 0 } }], false],
    ['pins were cleared lately', [roll('R', 'dev', 0), { ...roll('R', 'prod', 0), updatedAtMs: 2 * dayMs }], false],
    ['one stage changed lately', [roll('R', 'dev', 0), { ...roll('R', 'prod', 0), chanceSinceMs: 2 * dayMs }], false],
  ])('says whether a roll is done: %s', (_, all, expected) => {
    expect(listed(all, projects).map((each) => isDone(each, 31 * dayMs))).toEqual([expected, expected])
  })

  it('leaves out rolls of stages that are not there any more', () => {
    expect(names(rolls)).not.toContain('ELSEWHERE')
  })

  it.each([
    [{ search: ' er ' }, ['DIFFERS', 'OVER', 'EVERYONE']],
    [{ project: 'other' }, []],
    [{ stage: 'dev' }, ['FITS', 'EVERYONE']],
    [{ production: 'yes' }, ['DIFFERS', 'NEW', 'OVER']],
    [{ progress: 'partial' }, ['FITS', 'DIFFERS', 'NEW']],
    [{ progress: 'b' }, ['OVER']],
    [{ progress: 'a' }, ['EVERYONE']],
    [{ progress: 'done' }, ['OVER']],
    [{ fit: 'differs' }, ['DIFFERS']],
    [{ production: 'yes', fit: 'unknown', progress: 'partial' }, ['NEW']],
  ] as const)('shows with %j only %j', (filters, expected) => {
    expect(names(filtered(rolls, filters, 30 * dayMs + 500))).toEqual(expected)
  })

  it.each([
    [undefined, ['DIFFERS', 'NEW', 'FITS', 'OVER', 'EVERYONE']],
    ['name', ['DIFFERS', 'EVERYONE', 'FITS', 'NEW', 'OVER']],
    ['-chance', ['EVERYONE', 'DIFFERS', 'FITS', 'NEW', 'OVER']],
    ['fit', ['DIFFERS', 'FITS', 'NEW', 'OVER', 'EVERYONE']],
    ['place', ['FITS', 'EVERYONE', 'DIFFERS', 'NEW', 'OVER']],
    ['-served', ['FITS', 'DIFFERS', 'EVERYONE', 'NEW', 'OVER']],
    ['since', ['EVERYONE', 'DIFFERS', 'FITS', 'NEW', 'OVER']],
  ] as const)('sorts by %s', (sort, expected) => {
    expect(names(sorted(rolls, sort))).toEqual(expected)
  })
})

describe('the address of the list', () => {
  it('keeps what it knows and drops the rest', () => {
    expect(
      rollsSearch({ search: 12, project: 'shop', fit: 'bad', progress: 'partial', sort: '-served', more: 'x' }),
    ).toEqual({ search: '12', project: 'shop', progress: 'partial', sort: '-served' })
  })
})
