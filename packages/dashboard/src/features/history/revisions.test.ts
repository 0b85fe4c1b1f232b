import type { HistoryChange } from '@rollkey/sdk/core'
import { expect, it } from 'vitest'
import { changesSince, filtered, outcomesOf, revisionsOf } from './revisions.ts'

type What = Partial<HistoryChange> & Pick<HistoryChange, 'change'>

/** Returns changes of revisions 1, 2 and so on, the newest first, like the service. */
function history(...changes: readonly What[]): readonly HistoryChange[] {
  return changes
    .map((change, at) => ({ revision: at + 1, name: 'A', writtenAtMs: at, writtenBy: 'u', ...change }))
    .toReversed()
}

function words(...changes: readonly What[]): readonly string[] {
  return revisionsOf(history(...changes)).flatMap((revision) => revision.changes.map((each) => each.words))
}

function secret(value: string, more: Pick<HistoryChange, 'declaredType'> = {}) {
  return { kind: 'secret', digests: { value }, ...more } as const
}

function roll(a: string, b: string, chance: number) {
  return { kind: 'ab_roll', chance, digests: { a, b } } as const
}

it('groups by revision, the newest first', () => {
  const changes = history({ change: 'created', ...secret('1') }, { change: 'deleted', before: secret('1') })
  const other = { ...changes[0], name: 'B' } as HistoryChange
  const revisions = revisionsOf([...changes.slice(0, 1), other, ...changes.slice(1)])
  expect(revisions.map(({ revision, changes: all }) => [revision, all.map(({ change }) => change.name)])).toEqual([
    [2, ['A', 'B']],
    [1, ['A']],
  ])
})

it.each([
  ['Created: secret value', { change: 'created', ...secret('1') }],
  ['Created: A/B roll, chance 25%', { change: 'created', ...roll('1', '2', 0.25) }],
  ['Created: secret value, whole number', { change: 'created', ...secret('1', { declaredType: 'int64' }) }],
  ['Deleted', { change: 'deleted', before: secret('1') }],
  ['Restored', { change: 'restored', ...secret('1') }],
  ['Restored: value changed', { change: 'restored', before: secret('1'), ...secret('2') }],
  ['Value changed', { change: 'updated', before: secret('1'), ...secret('2') }],
  ['Saved again as it was', { change: 'updated', before: secret('1'), ...secret('1') }],
  ['Changed; the former state is no longer kept', { change: 'updated', ...secret('1') }],
  [
    'Type untyped → whole number',
    { change: 'updated', before: secret('1'), ...secret('1', { declaredType: 'int64' }) },
  ],
  ['One value → A/B roll, chance 50%', { change: 'updated', before: secret('1'), ...roll('1', '2', 0.5) }],
  [
    'One value → being rotated, share of the new value 1%',
    { change: 'updated', before: secret('1'), ...roll('2', '1', 0.01), labels: { a: 'new', b: 'old' }, rotating: true },
  ],
  [
    'Value A changed, value B changed, chance 10% → 25%',
    { change: 'updated', before: roll('1', '2', 0.1), ...roll('3', '4', 0.25) },
  ],
] as const)('says: %s', (text, change) => {
  expect(words(change as What)).toEqual([text])
})

it('says when a value is one that the variable had before', () => {
  expect(
    words(
      { change: 'updated', before: secret('0'), ...secret('1') },
      { change: 'updated', before: secret('1'), ...secret('1', { declaredType: 'string' }) },
      { change: 'updated', before: secret('1'), ...secret('2') },
      { change: 'updated', before: secret('2'), ...secret('1') },
      { change: 'updated', before: secret('1'), ...secret('0') },
    ),
  ).toEqual([
    'Value set back to that before revision 1',
    'Value set back to that of revision 2',
    'Value changed',
    'Type untyped → text',
    'Value changed',
  ])
})

it('takes the values of different variables, and of A and B, for different ones', () => {
  expect(
    words(
      { change: 'created', name: 'B', ...secret('2') },
      { change: 'created', ...secret('1') },
      { change: 'updated', before: secret('1'), ...secret('2') },
    ).at(0),
  ).toBe('Value changed')
  expect(
    words(
      { change: 'created', ...roll('1', '2', 0.5) },
      { change: 'updated', before: roll('1', '2', 0.5), ...roll('2', '1', 0.5) },
    ).at(0),
  ).toBe('Value A changed, value B changed')
})

/** Returns a function that serves pages of a history with these numbers of revisions and changes, and counts its calls. */
function pagesOf(revisions: number, changesEach: number) {
  const asked: (number | undefined)[] = []
  const pageBefore = async (before = revisions + 1): Promise<readonly HistoryChange[]> => {
    asked.push(before)
    const page: HistoryChange[] = []
    for (let revision = before - 1; revision > 0 && page.length < 200; revision--) {
      for (let i = 0; i < changesEach; i++) {
        page.push({ revision, name: `N${i}`, change: 'updated', writtenAtMs: 0, writtenBy: 'u' })
      }
    }
    return page
  }
  return { pageBefore, asked }
}

it.each([
  ['the newest alone', 299, 1, [301]],
  ['a page', 100, 200, [301]],
  ['a page and one', 99, 201, [301, 101]],
  ['all', 0, 300, [301, 101]],
])('reads no more than it needs: %s', async (_, revision, count, pages) => {
  const { pageBefore, asked } = pagesOf(300, 1)
  const changes = await changesSince(revision, pageBefore)
  expect(changes?.map((change) => change.revision)).toEqual(Array.from({ length: count }, (__, at) => 300 - at))
  expect(asked).toEqual(pages)
})

it('ends with the history, also at the end of a page', async () => {
  expect(await changesSince(0, pagesOf(1, 200).pageBefore)).toHaveLength(200)
  expect(await changesSince(0, async () => [])).toEqual([])
})

it('gives up beyond 10,000 changes', async () => {
  expect(await changesSince(1, pagesOf(11, 1_000).pageBefore)).toHaveLength(10_000)
  expect(await changesSince(1, pagesOf(13, 1_000).pageBefore)).toBeUndefined()
})

it('says which revisions a restore or an undo would change, also of what others changed since', () => {
  const changes = history(
    { change: 'created', ...secret('1') },
    { change: 'created', name: 'B', ...secret('b') },
    { change: 'deleted', name: 'B', before: secret('b') },
    { change: 'updated', before: secret('1'), ...secret('2') },
    { change: 'updated', before: secret('2'), ...secret('1') },
  )
  const present = [{ name: 'A', ...secret('1') }]
  const outcomes = [...outcomesOf(present, changes)].map(([revision, { restores, undoes }]) => [
    revision,
    restores,
    undoes,
  ])
  expect(outcomes).toEqual([
    [5, false, true],
    // A is as it was before both.
    [4, true, false],
    // B comes back, and nothing else differs from this state.
    [3, false, true],
    [2, true, false],
    [1, false, false],
  ])
})

it('finds the revisions of a person who proposed what someone else applied', () => {
  const applied = { change: 'updated', writtenBy: 'tess', proposedBy: 'bo' } as const
  const revisions = revisionsOf(history({ change: 'created', writtenBy: 'ada' }, applied))
  const of = (person: string) => filtered(revisions, { person, change: undefined }).map(({ revision }) => revision)
  expect(['bo', 'tess', 'ada', 'eve'].map(of)).toEqual([[2], [2], [1], []])
})
