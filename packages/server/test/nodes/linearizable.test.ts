import { describe, expect, test } from 'vitest'
import { secret, newNode, newSharedNode, newStore, type Node } from '../stages/node.ts'
import { temporaryShared } from '../storage/temporary.ts'
import { recorded, staleHistory, violationsOf, type Operation, type Register } from './linearizable.ts'

type Line = [kind: 'read' | 'write', value: string, revision: number | undefined, calledAt: number, answeredAt: number]

function history(...lines: Line[]): Operation[] {
  return lines.map(([kind, value, revision, calledAt, answeredAt]) => ({ kind, value, revision, calledAt, answeredAt }))
}

describe('the checker', () => {
  test('accepts a history that is possible one operation after the other', () => {
    expect(
      violationsOf(
        history(
          ['write', 'a', 1, 0, 10],
          ['write', 'b', 2, 5, 20],
          ['read', 'a', 1, 6, 19],
          ['read', 'b', 2, 6, 19],
          ['write', 'c', undefined, 20, Infinity],
          ['read', 'b', 2, 21, 22],
          ['read', 'c', 3, 23, 24],
        ),
      ),
    ).toEqual([])
  })

  test.each<[string, Line[]]>([
    ['a stale read', [['write', 'a', 1, 0, 1], ['write', 'b', 2, 2, 3], ['read', 'a', 1, 4, 5]]], // prettier-ignore
    ['a read that goes back', [['write', 'a', 1, 0, 1], ['write', 'b', 2, 2, 9], ['read', 'b', 2, 3, 4], ['read', 'a', 1, 5, 6]]], // prettier-ignore
    [
      'a lost write',
      [
        ['write', 'a', 1, 0, 1],
        ['write', 'b', 1, 2, 3],
      ],
    ],
    [
      'a write into the past',
      [
        ['write', 'a', 2, 0, 1],
        ['write', 'b', 1, 2, 3],
      ],
    ],
    [
      'a wrong value',
      [
        ['write', 'a', 1, 0, 1],
        ['read', 'b', 1, 2, 3],
      ],
    ],
    [
      'a value from the future',
      [
        ['read', 'a', 1, 0, 1],
        ['write', 'a', 1, 2, 3],
      ],
    ],
    [
      'a write that happens twice',
      [
        ['write', 'a', 1, 0, 1],
        ['read', 'a', 2, 2, 3],
      ],
    ],
  ])('finds %s', (_, lines) => {
    expect(violationsOf(history(...lines))).not.toEqual([])
  })
})

function registerOf(node: Node): Register {
  return {
    write: async (value) => (await node.write({ entries: [secret('A', value)] })).revision,
    async read() {
      const { variables, revision } = await node.readAll()
      return { value: variables['A']?.[0] ?? '', revision }
    },
  }
}

describe('three nodes on one database', () => {
  test('are one register', async () => {
    const { sql, clock } = await newStore(temporaryShared)
    const nodes = await Promise.all([1, 2, 3].map(() => newSharedNode(sql, clock)))
    expect(violationsOf(await recorded(nodes.map(registerOf), 3, 100))).toEqual([])
  })

  test('are not one register if one trusts its memory: the checker finds a planted stale cache', async () => {
    const { sql, clock } = await newStore(temporaryShared)
    const [writing, trusting] = [await newSharedNode(sql, clock), await newNode(sql, clock)].map(registerOf)
    const recording = await staleHistory(writing as Register, trusting as Register)
    expect(violationsOf(recording)).toEqual(['a read of revision 1 was called after revision 2 was answered'])
  })
})
