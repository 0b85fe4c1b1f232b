import { createSecretKey, randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '@rollkey/contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { noReads } from '../../src/consistency/read-set.ts'
import { Sealer } from '../../src/crypto/seal.ts'
import { buildInSlices, openAll } from '../../src/evaluation/bundle.ts'
import { openSome } from '../../src/evaluation/open-values.ts'
import { Evaluation } from '../../src/evaluation/evaluate.ts'
import { storedVariables, type StoredVariable } from '../../src/stages/stored-variable.ts'
import type { Stage } from '../../src/stages/stages.ts'
import { sealValues } from '../../src/variables/values.ts'
import { Random } from '../../testkit/random.ts'
import { turnsDuring } from '../../testkit/turns.ts'

const place = { orgId: 'org', projectId: 'prj', stageId: 'stg' }

class CountingSealer extends Sealer {
  opened = 0

  override open(...sealed: Parameters<Sealer['open']>): Buffer<ArrayBuffer> {
    this.opened++
    return super.open(...sealed)
  }
}

function sealedVariable(sealer: Sealer, name: string, ...values: string[]): StoredVariable {
  const about = { declared_type: null, facets: '{}', created_at_ms: 0, updated_at_ms: 0, updated_by: 'user' }
  const kind = values.length === 1 ? 'secret' : 'ab_roll'
  const sealed = sealValues(sealer, { name, kind }, { values })
  return storedVariables([{ name, kind, sealed, ...about }])[0] as StoredVariable
}

/** Returns a stage of secrets, and of rolls for the names with two values. */
function stageOf(values: Record<string, string | [string, string]>): Stage & { sealer: CountingSealer } {
  const sealer = new CountingSealer(place, [{ id: '0'.repeat(32), key: createSecretKey(randomBytes(32)) }])
  const variables = Object.entries(values).map(
    ([name, value]) => [name, sealedVariable(sealer, name, ...[value].flat())] as const,
  )
  return {
    ...place,
    revision: 1,
    sealer,
    bytes: 1,
    textBytes: 0,
    pinEntries: 0,
    variables: new Map(variables),
    templates: new Map(),
  }
}

const onlyValue = () => ({ index: 0 })

/** Returns the text of a pull. */
function textOf(stage: Stage): string {
  return [...openAll(stage, onlyValue)].flatMap(({ texts }) => texts).join('')
}

function variableOf(stage: Stage, name: string): StoredVariable {
  const variable = stage.variables.get(name)
  if (!variable) throw new Error(`no ${name}`)
  return variable
}

test('evaluations of one turn share opened values, and the next turn opens them again', async () => {
  const stage = stageOf({ A: 'a', B: 'b' })
  const open = (name: string): string => openSome(stage, 1)(variableOf(stage, name), 0)
  expect([open('A'), open('A'), open('B'), open('A')]).toEqual(['a', 'a', 'b', 'a'])
  expect(stage.sealer.opened).toBe(2)
  await nextTurn()
  expect(open('A')).toBe('a')
  expect(stage.sealer.opened).toBe(3)
})

test('shared values belong to one revision of one stage', () => {
  const [one, two] = [stageOf({ A: 'of one' }), stageOf({ A: 'of two' })]
  expect(openSome(one, 1)(variableOf(one, 'A'), 0)).toBe('of one')
  expect(openSome(two, 1)(variableOf(two, 'A'), 0)).toBe('of two')
})

test('many values of a small stage are read from its bundle, which is opened once per turn', async () => {
  const stage = stageOf({ A: 'a', B: 'b', C: 'c' })
  openSome(stage, 3)
  await nextTurn()
  const before = stage.sealer.opened
  for (let request = 0; request < 3; request++) {
    const open = openSome(stage, 3)
    expect(['A', 'B', 'C'].map((name) => open(variableOf(stage, name), 0))).toEqual(['a', 'b', 'c'])
  }
  expect(stage.sealer.opened - before).toBe(1)
})

describe('requests of one turn that each need another value of a stage', () => {
  const names = Array.from({ length: 40 }, (_, index) => `N${index}`)
  const crowdOf = (bytes = 1) => ({ ...stageOf(Object.fromEntries(names.map((name) => [name, `of ${name}`]))), bytes })

  /** Opens a value for each of some requests of one turn. Returns how many openings that took. */
  async function openInOneTurn(stage: ReturnType<typeof crowdOf>, wanted = names): Promise<number> {
    const before = stage.sealer.opened
    for (const name of wanted) expect(openSome(stage, 1)(variableOf(stage, name), 0)).toBe(`of ${name}`)
    const opened = stage.sealer.opened - before
    await nextTurn()
    return opened
  }

  test('share the bundle, once it has paid to build it', async () => {
    const stage = crowdOf()
    // The first ones of a turn do not know that more will follow.
    const singles = 2
    expect(await openInOneTurn(stage, names.slice(0, 20))).toBe(20)
    expect(await openInOneTurn(stage, names.slice(0, singles))).toBe(singles)
    const missedBefore = 20 - singles
    const missedNow = names.length - 1 - missedBefore
    const building = names.length
    expect(await openInOneTurn(stage)).toBe(singles + missedNow + building + 1)
    expect(await openInOneTurn(stage)).toBe(singles + 1)
    expect(await openInOneTurn(stage, ['N7'])).toBe(1)
  })

  test('use a bundle that a pull has built', async () => {
    const stage = crowdOf()
    textOf(stage)
    await nextTurn()
    expect(await openInOneTurn(stage)).toBe(3)
  })

  test('open theirs one by one where that is cheaper, and in a large stage without a bundle', async () => {
    const costOfBundle = 1 + names.length
    for (const bytes of [13_000 * costOfBundle, 1_000_000]) {
      const stage = crowdOf(bytes)
      for (let turn = 0; turn < 3; turn++) expect(await openInOneTurn(stage)).toBe(names.length)
    }
  })

  test('open theirs one by one if another value of the stage is damaged', async () => {
    const stage = crowdOf()
    const other = sealedVariable(
      new Sealer(place, [{ id: '1'.repeat(32), key: createSecretKey(randomBytes(32)) }]),
      'X',
      '',
    )
    const damaged = { ...stage, variables: new Map([...stage.variables, ['X', other]]) }
    for (let turn = 0; turn < 4; turn++) await openInOneTurn(damaged)
    expect(() => openSome(damaged, 1)(other, 0)).toThrow('unknown key')
    expect(await openInOneTurn(damaged)).toBe(names.length)
  })
})

test('a value that a request names repeatedly is opened, or read from the bundle, once', async () => {
  const stage = stageOf({ A: 'a', B: 'b', C: 'c' })
  const open = openSome(stage, 1_000)
  await nextTurn()
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  for (let entry = 0; entry < 1_000; entry++) expect(open(variableOf(stage, 'A'), 0)).toBe('a')
  expect(parse).toHaveBeenCalledOnce()
})

test('the bundle of a large stage is built once, in slices between which other requests run', async () => {
  const stage = stageOf(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`N${index}`, `${index}`])))
  expect(await turnsDuring(() => buildInSlices(stage))).toBeGreaterThan(50)
  expect(stage.sealer.opened).toBe(100)
  const text = textOf(stage)
  expect(Object.keys(JSON.parse(`{${text}}`) as object)).toHaveLength(100)
  expect(stage.sealer.opened).toBe(101)
})

test('a long text is sealed and opened in pieces, and a batch opens only the pieces that it needs', () => {
  const value = 'v'.repeat(10_000)
  const names = Array.from({ length: 100 }, (_, index) => `N${index}`)
  const stage = { ...stageOf(Object.fromEntries(names.map((name) => [name, `${name} ${value}`]))), bytes: 1_000 }
  expect([...openAll(stage, onlyValue)].length).toBeGreaterThan(3)
  const all = JSON.parse(`{${textOf(stage)}}`) as object
  expect(all).toEqual(Object.fromEntries(names.map((name) => [name, `${name} ${value}`])))
  const open = openSome(stage, 100)
  for (const name of ['N99', 'N0', 'N50']) expect(open(variableOf(stage, name), 0)).toBe(`${name} ${value}`)
})

test('a pull has one value of each roll, and shares the long texts between rolls with other pulls of its turn', () => {
  const long = 'v'.repeat(5_000)
  const values = {
    A: ['a of A', 'b of "A", Zoë'],
    B: 'short',
    C: ['a of C', ''],
    D: long,
    E: ['a of E', 'b of E'],
    F: long,
  } satisfies Record<string, string | [string, string]>
  const stage = stageOf(values)
  const isB = (name: string, round: number): boolean =>
    ['A', 'C', 'E'].some((roll, at) => roll === name && round & (1 << at))
  for (let round = 0; round < 8; round++) {
    const pulls = [0, 1].map(() =>
      [...openAll(stage, ({ name }) => ({ index: Number(isB(name, round)) }))].flatMap(({ texts }) => texts),
    )
    for (const pull of pulls) {
      expect(JSON.parse(`{${pull.join('')}}`)).toEqual(
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, [value].flat()[Number(isB(name, round))]]),
        ),
      )
    }
    const [one = [], other = []] = pulls
    const shared = one.filter(
      (text, at) => text.buffer === other[at]?.buffer && text.byteOffset === other[at]?.byteOffset,
    )
    expect(shared.filter(({ length }) => length > long.length)).toHaveLength(2)
  }
})

test('the text of a pull stays while an answer needs it, and is erased and freed then', async () => {
  const stage = stageOf({ A: 'a', B: 'b' })
  const [one, other] = [[...openAll(stage, onlyValue)], [...openAll(stage, onlyValue)]]
  expect(stage.sealer.opened).toBe(3)
  const [text] = one[0]?.texts ?? []
  if (!text) throw new Error('no text')
  await nextTurn()
  for (const piece of one) piece.release()
  expect(text.toString()).toBe('"A":"a","B":"b"')
  for (const piece of other) piece.release()
  expect(text.buffer).toMatchObject({ detached: true })
})

test('the text of a pull that is written within its turn stays until the turn is over', async () => {
  const stage = stageOf({ A: 'a', B: 'b' })
  for (const piece of openAll(stage, onlyValue)) piece.release()
  expect(textOf(stage)).toBe('"A":"a","B":"b"')
  await nextTurn()
  expect(textOf(stage)).toBe('"A":"a","B":"b"')
})

test('a pull of more stored bytes than one answer may have is refused', async () => {
  const stage = { ...stageOf({ A: 'a' }), bytes: limits.evaluatedBytes + 1 }
  const parts = { stages: { find: () => stage }, meter: {}, rollCounts: {}, dice: {}, log: {} }
  const evaluation = new Evaluation(parts as unknown as ConstructorParameters<typeof Evaluation>[0])
  const address = { orgId: 'org', projectSlug: 'shop', stageSlug: 'prod' }
  const usage = { caller: 'user', how: 'session', requestKey: undefined } as const
  const request = { usage, reads: noReads, reserve: () => undefined }
  await expect(evaluation.pull(address, {}, request)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
})

describe('after a change of a large stage', () => {
  const value = 'v'.repeat(4_000)
  const manyValues = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`N${index}`, value]))

  /** Returns the stage with other values. Like a write, it keeps the other variable objects. */
  function changed(stage: Stage & { sealer: CountingSealer }, values: Record<string, string>): typeof stage {
    const variables = new Map(stage.variables)
    for (const [name, text] of Object.entries(values)) variables.set(name, sealedVariable(stage.sealer, name, text))
    return { ...stage, revision: stage.revision + 1, variables }
  }

  function pulled(stage: Stage): unknown {
    return JSON.parse(`{${textOf(stage)}}`) as unknown
  }

  test('only the values near the change are opened to build the bundle', async () => {
    const before = stageOf(manyValues)
    await buildInSlices(before)
    before.sealer.opened = 0
    const after = changed(before, { N500: 'x'.repeat(9_000), more: 'y' })
    await buildInSlices(after)
    expect(after.sealer.opened).toBeLessThan(300)
    expect(pulled(after)).toEqual({ ...manyValues, N500: 'x'.repeat(9_000), more: 'y' })
    expect(pulled(before)).toEqual(manyValues)
  })

  test('the bundle matches the stage after any sequence of changes', async () => {
    let stage = stageOf(manyValues)
    let expected = manyValues
    await buildInSlices(stage)
    const random = new Random(11)
    for (let round = 0; round < 25; round++) {
      const values = Object.fromEntries([[`N${random.int(1_100)}`, 'w'.repeat(random.int(20_000))]])
      stage = changed(stage, values)
      expected = { ...expected, ...values }
      const gone = [...stage.variables.keys()].slice(random.int(900) + 1).slice(0, random.int(5))
      stage = { ...stage, variables: new Map([...stage.variables].filter(([name]) => !gone.includes(name))) }
      expected = Object.fromEntries(Object.entries(expected).filter(([name]) => !gone.includes(name)))
      stage.sealer.opened = 0
      if (round % 2 === 0) await buildInSlices(stage)
      expect(pulled(stage)).toEqual(expected)
      expect(stage.sealer.opened).toBeLessThan(700)
    }
  })
})
