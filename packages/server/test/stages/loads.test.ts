/** How often a node reads a stage from the store while many clients evaluate it and some write it, on both engines. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Exposure } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { retryUntilFresh, singleWriter, type ReadValidator } from '../../src/consistency/read-validator.ts'
import { unlimited } from '../../src/metering/plans.ts'
import type { Sql } from '../../src/storage/sql.ts'
import { createLog } from '../../src/base/log.ts'
import { changeOfChance, UpdateChange } from '../../src/variables/changes/updates.ts'
import { RestoreChange } from '../../src/history/restore-change.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { seeded } from '../../testkit/random.ts'
import { temporaryShared, temporaryStore } from '../storage/temporary.ts'
import { Stages } from '../../src/stages/stages.ts'
import { abRoll, live, newNode, newSharedCounting, newStore, secret, type Node } from './node.ts'

const clients = 32

/** A store that counts the statements that load a stage, and can delay them or make them fail. */
class WatchedSql implements Sql {
  readonly #sql: Sql
  loads = 0
  underWay = 0
  maxUnderWay = 0
  /** A promise that each load awaits. */
  gate: Promise<void> | undefined

  constructor(sql: Sql) {
    this.#sql = sql
  }

  all: Sql['all'] = async (text, ...params) => {
    if (!text.includes('left join variables')) return this.#sql.all(text, ...params)
    this.loads++
    this.maxUnderWay = Math.max(this.maxUnderWay, ++this.underWay)
    try {
      const [rows] = await Promise.all([this.#sql.all(text, ...params), this.gate])
      return rows as never
    } finally {
      this.underWay--
    }
  }

  tx: Sql['tx'] = (...args) => this.#sql.tx(...args)
  atOnce: Sql['atOnce'] = (send) => this.#sql.atOnce(send)
  alone: Sql['alone'] = (work) => this.#sql.alone(work)
  close: Sql['close'] = () => this.#sql.close()
}

interface Watched {
  readonly node: Node
  readonly sql: WatchedSql
  readonly validator: ReadValidator
  /** Evaluates as a request does, from its arrival to its billing event. Returns the revision of the answer. */
  readonly evaluate: () => Promise<number>
}

async function watched(store: Sql, clock: TestClock, isShared: boolean): Promise<Watched> {
  const sql = new WatchedSql(store)
  const shared = isShared ? newSharedCounting(sql, clock) : undefined
  const node = await newNode(sql, clock, unlimited, shared)
  const validator: ReadValidator = shared?.validator ?? singleWriter
  const evaluate = async (): Promise<number> => {
    return retryUntilFresh(validator, async (reads) => {
      const { orgId, projectId, stageId, revision } = await node.stages.find(live, reads)
      await node.ledger.charge(
        { orgId, projectId, stageId, caller: 'user', how: 'session', requestKey: undefined },
        reads,
      )
      return revision
    })
  }
  return { node, sql, validator, evaluate }
}

const engines = [
  { name: 'SQLite', open: temporaryStore, isShared: false },
  { name: 'PostgreSQL', open: temporaryShared, isShared: true },
]

/** Evaluates until the work is done. No client may see an older revision than was acknowledged before its request. */
async function during(nodes: readonly Watched[], work: (tell: (revision: number) => void) => Promise<void>) {
  const state = { acknowledged: 0, isDone: false, evaluations: 0 }
  const client = async (index: number): Promise<void> => {
    const { evaluate } = nodes[index % nodes.length] as Watched
    while (!state.isDone) {
      const { acknowledged } = state
      expect(await evaluate()).toBeGreaterThanOrEqual(acknowledged)
      state.evaluations++
      await turn()
    }
  }
  const working = work((revision) => (state.acknowledged = revision)).finally(() => (state.isDone = true))
  await Promise.all([working, ...Array.from({ length: clients }, (_, index) => client(index))])
  return state
}

/** Waits until other tasks have run, on every engine. */
async function pause(node: Watched): Promise<void> {
  for (let i = 0; i < 5; i++) await node.evaluate()
}

const entries = Array.from({ length: 50 }, (_, index) => secret(`N${index}`))
const writes = 12

describe.each(engines)('a stage that many clients evaluate, on $name', ({ open, isShared }) => {
  async function newWatched(): Promise<Watched & { store: Sql; again: () => Promise<Watched> }> {
    const { sql, clock } = await newStore(open)
    const one = await watched(sql, clock, isShared)
    await one.node.write({ entries })
    return { ...one, store: sql, again: () => watched(sql, clock, isShared) }
  }

  test('is read once by a cold node, however many clients evaluate it', async () => {
    const { again } = await newWatched()
    const cold = await again()
    const gate = Promise.withResolvers<void>()
    cold.sql.gate = gate.promise
    const early = Array.from({ length: clients }, cold.evaluate)
    await turn()
    // Requests that arrive while the read runs.
    const late = Array.from({ length: clients }, cold.evaluate)
    await turn()
    gate.resolve()
    expect(await Promise.all([...early, ...late])).toEqual(Array.from({ length: 2 * clients }, () => 1))
    await pause(cold)
    expect(cold.sql.loads).toBe(1)
  })

  test('stays in memory when the node writes it', async () => {
    const one = await newWatched()
    await pause(one)
    const before = one.sql.loads
    const { evaluations } = await during([one], async (tell) => {
      for (let i = 0; i < writes; i++) {
        tell((await one.node.write({ entries: [secret(`N${i}`, `${i}`)] })).revision)
        await pause(one)
      }
    })
    expect(evaluations).toBeGreaterThan(writes)
    // A round may see the commit before the node receives its answer.
    expect(one.sql.loads - before).toBeLessThanOrEqual(isShared ? writes : 0)
    expect(one.sql.maxUnderWay).toBe(1)
  })

  test('is read again after a read that failed for all requests that shared it', async () => {
    const one = await newWatched()
    await pause(one)
    const before = one.sql.loads
    one.sql.gate = turn().then(() => Promise.reject(new Error('the store is away')))
    one.node.stages.forget(live)
    const pending = Promise.allSettled(Array.from({ length: clients }, one.evaluate))
    expect(new Set((await pending).map(({ status }) => status))).toEqual(new Set(['rejected']))
    one.sql.gate = undefined
    expect(await Promise.all(Array.from({ length: clients }, one.evaluate))).toEqual(
      Array.from({ length: clients }, () => 1),
    )
    expect([one.sql.loads - before, one.sql.maxUnderWay]).toEqual([2, 1])
  })

  test('is never older than the last acknowledged write, even with slow reads and frequent drops', async () => {
    const one = await newWatched()
    await during([one], async (tell) => {
      for (let i = 0; i < writes; i++) {
        const gate = Promise.withResolvers<void>()
        one.sql.gate = gate.promise
        one.node.stages.forget(live)
        const pending = one.evaluate()
        await turn()
        const written = one.node.write({ entries: [secret('A', `${i}`)] })
        await turn()
        gate.resolve()
        one.sql.gate = undefined
        await pending
        tell((await written).revision)
        await pause(one)
      }
    })
    expect(one.sql.maxUnderWay).toBe(1)
  })

  test('is the same in memory and in the store after each change', async () => {
    const { node, sql, store } = await newWatched()
    const random = seeded(16)
    const nameOf = (): string =>
      `${['N', 'Ä', '\u{1F600}', '\uE000'][Math.floor(random() * 4)]}${Math.floor(random() * 8)}`
    await node.read()
    const loadsBefore = sql.loads
    for (let i = 0; i < 36; i++) {
      const names = [...new Set(Array.from({ length: 3 }, nameOf))]
      const attributes = () => ({
        exposure: [undefined, null, 'secret', 'plain', 'client'][Math.floor(random() * 5)] as Exposure,
        description: [undefined, null, '', `${i} 🚀\n`][Math.floor(random() * 4)],
      })
      const put = names.map((name) =>
        random() < 0.5
          ? secret(name, `${i}`, { declaredType: 'int64', ...attributes() })
          : abRoll(name, random(), { valueA: '1', valueB: '2', ...attributes() }),
      )
      const step = i % 6
      const { stages } = node
      const stage = await stages.current(live)
      const some = [...(stage?.variables.values() ?? [])]
      const aRoll = some.find(({ kind }) => kind === 'ab_roll')
      const gone = new Set([...names.slice(1), some[0]?.name ?? ''])
      const changed = new UpdateChange(createLog('silent')).change({
        updates: [{ name: some[0]?.name ?? '', ...attributes() }],
      })
      if (step === 2 && some[0]) await node.make(changed)
      else if (step === 4 && aRoll) await node.make(changeOfChance({ name: aRoll.name, chance: random() }))
      else if (step === 5)
        await node.make(new RestoreChange(sql).change({ revision: Math.ceil(random() * (stage?.revision ?? 1)) }))
      else if (step === 3)
        await node.write({ deletes: [...gone].filter((name) => name !== names[0]), entries: put.slice(0, 1) })
      else await node.write({ entries: put })
      const fresh = new Stages({ sql: store, keyring: node.keyring, validator: singleWriter })
      const kept = await stages.current(live)
      const stored = await fresh.current(live)
      expect({ ...kept, sealer: undefined }).toEqual({ ...stored, sealer: undefined })
      expect([...(kept?.variables.keys() ?? [])]).toEqual([...(stored?.variables.keys() ?? [])])
      // Data derived from a variable is reused for the next revision if the variable is the same object.
      const left = step < 2 ? some.filter(({ name }) => !names.includes(name)) : []
      expect(left.filter((variable) => kept?.variables.get(variable.name) !== variable)).toEqual([])
      // Throws if a value does not open.
      await node.read()
    }
    expect(sql.loads).toBe(loadsBefore)
  })
})

describe('a stage that another node writes', () => {
  test('is read once per write, also for requests that arrive during the read', async () => {
    const { sql, clock } = await newStore(temporaryShared)
    const [one, two] = [await watched(sql, clock, true), await watched(sql, clock, true)]
    await one.node.write({ entries })
    await pause(two)
    for (let i = 0; i < writes; i++) {
      const gate = Promise.withResolvers<void>()
      two.sql.gate = gate.promise
      const { revision } = await one.node.write({ entries: [secret(`N${i}`, `${i}`)] })
      const early = Array.from({ length: clients }, two.evaluate)
      while (two.sql.underWay === 0) await turn()
      const late = Array.from({ length: clients }, two.evaluate)
      await turn()
      gate.resolve()
      expect(new Set(await Promise.all([...early, ...late]))).toEqual(new Set([revision]))
    }
    expect([two.sql.loads, two.sql.maxUnderWay]).toEqual([1 + writes, 1])
  })

  test('is never older than the last acknowledged write while both nodes write', async () => {
    const { sql, clock } = await newStore(temporaryShared)
    const nodes = [await watched(sql, clock, true), await watched(sql, clock, true)]
    await nodes[0]?.node.write({ entries })
    await during(nodes, async (tell) => {
      for (let i = 0; i < writes; i++) {
        const { node } = nodes[i % 2] as Watched
        tell((await node.write({ entries: [secret(`N${i}`, `${i}`)] })).revision)
      }
    })
    expect(nodes.map(({ sql: { maxUnderWay } }) => maxUnderWay)).toEqual([1, 1])
  })
})
