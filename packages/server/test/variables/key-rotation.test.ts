/** Rotation of data keys on both engines, with nodes that work while it runs. */
import { describe, expect, test } from 'vitest'
import type { Installation } from '../../src/operator/command.ts'
import { noReads } from '../../src/consistency/read-set.ts'
import { sweep } from '../../src/compose/housekeeping.ts'
import { retiredKeys } from '../../src/storage/keys.ts'
import { sendIn, type Sql } from '../../src/storage/sql.ts'
import { CopyChange } from '../../src/variables/changes/copy.ts'
import { RestoreChange } from '../../src/history/restore-change.ts'
import { History } from '../../src/history/history.ts'
import type { Stage, StageRef } from '../../src/stages/stages.ts'
import { KeyRotation } from '../../src/variables/key-rotation.ts'
import { keyIdOf } from '../../src/crypto/seal.ts'
import { keyIdOfPacked, unpack } from '../../src/stages/payloads.ts'
import type { StoredVariable } from '../../src/stages/stored-variable.ts'
import { changeOfChance, UpdateChange } from '../../src/variables/changes/updates.ts'
import { pinsOf } from '../../src/variables/pins.ts'
import { onStore } from '../../testkit/operator.ts'
import type { TestClock } from '../../testkit/clock.ts'
import { silent, temporaryShared, temporaryStore } from '../storage/temporary.ts'
import { abRoll, live, newNode, newSharedNode, newStore, secret, type Node } from '../stages/node.ts'

const dayMs = 24 * 60 * 60_000
const damagedRow = "select sealed from variables where name = 'N5'"
const preview = { ...live, stageSlug: 'preview' }

interface Scene {
  readonly sql: Sql
  readonly clock: TestClock
  readonly node: Node
  /** Another node with separate memory on PostgreSQL; the same node on the embedded store. */
  readonly other: Node
}

const engines = [
  {
    name: 'SQLite',
    scene: async (): Promise<Scene> => {
      const { sql, clock } = await newStore(temporaryStore)
      const node = await newNode(sql, clock)
      return { sql, clock, node, other: node }
    },
  },
  {
    name: 'PostgreSQL',
    scene: async (): Promise<Scene> => {
      const { sql, clock } = await newStore(temporaryShared)
      return { sql, clock, node: await newSharedNode(sql, clock), other: await newSharedNode(sql, clock) }
    },
  },
]

function rotate({ sql, clock, node }: Scene, store = sql) {
  return new KeyRotation({ sql: store, keyring: node.keyring, clock }).run({})
}

/** Returns the ids of the keys that sealed present and past states. */
async function keysInUse(sql: Sql): Promise<Set<string>> {
  const rows = await sql.all<{ sealed: Uint8Array }>(
    'select sealed from variables union all select sealed from variable_history where sealed is not null',
  )
  return new Set(rows.map(({ sealed }) => keyIdOfPacked(sealed)))
}

async function currentKeys(sql: Sql): Promise<Set<string>> {
  const rows = await sql.all<{ id: string }>(
    'select id from data_keys where project_id is not null and retired_at_ms is null',
  )
  return new Set(rows.map(({ id }) => id))
}

/** Returns everything that a rotation must leave unchanged. */
async function traces(sql: Sql): Promise<unknown[]> {
  return [
    await sql.all('select id, revision, updated_at_ms from stages order by id'),
    await sql.all(
      'select stage_id, name, length(sealed) as bytes, updated_at_ms, updated_by from variables order by stage_id, name',
    ),
    await sql.all(
      `select stage_id, name, revision, length(sealed) as bytes, written_at_ms, change from variable_history
       order by stage_id, name, revision`,
    ),
    await sql.all("select org_id, used from meters where meter = 'storage' order by org_id"),
  ]
}

/** Fills two stages of a project with more rows than one chunk, a roll and a deletion, then advances the clock by a day. */
async function fill({ clock, node }: Scene): Promise<void> {
  await node.write({ entries: Array.from({ length: 130 }, (_, i) => secret(`N${i}`, `value ${i}`)) })
  await node.write({ entries: [abRoll('ROLL'), secret('N1', 'newer')], deletes: ['N2'] })
  await node.write({ entries: [secret('A', 'of preview')] }, preview)
  clock.advance(dayMs)
}

/** Expects that nothing is sealed with the former keys, and that every node reads the same values as before. */
async function expectRotated({ sql, node, other }: Scene, former: ReadonlySet<string>, values: object): Promise<void> {
  const [used, current] = [await keysInUse(sql), await currentKeys(sql)]
  expect([...used].filter((id) => !current.has(id))).toEqual([])
  expect([...current].filter((id) => former.has(id))).toEqual([])
  for (const each of [node, other]) {
    each.stages.forget(live)
    expect(await each.read()).toEqual(values)
  }
}

/** Wraps the store for a node that pauses inside a transaction, before it sends a statement that begins with `text`. */
function pausingBefore(sql: Sql, text: string) {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const turnOf = async (statement: string, before: Promise<void>): Promise<void> => {
    await before
    if (!statement.trimStart().startsWith(text)) return
    arrived.resolve()
    await released.promise
  }
  const paused: Sql = {
    all: (...args) => sql.all(...args),
    atOnce(send) {
      return this.tx((tx) => sendIn(tx, send))
    },
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
    tx: (work, durability) =>
      sql.tx(async (tx) => {
        // Statements that are sent together keep their order.
        let before = Promise.resolve()
        const all: Sql['all'] = async (statement, ...params) => {
          before = turnOf(statement, before)
          await before
          return tx.all(statement, ...params)
        }
        return work({ all, script: (script) => tx.script(script) })
      }, durability),
  }
  return { sql: paused, arrived: arrived.promise, release: released.resolve }
}

/** Wraps the store for a process that dies at its n-th transaction, before or after the commit. */
function dyingAt(sql: Sql, n: number, when: 'before' | 'after'): Sql {
  let begun = 0
  const die = (): never => {
    throw new Error('died')
  }
  return {
    all: (...args) => sql.all(...args),
    atOnce(send) {
      return this.tx((tx) => sendIn(tx, send))
    },
    alone: (work) => sql.alone(work),
    close: () => sql.close(),
    tx: async (work, durability) => {
      const isLast = ++begun >= n
      const result = await sql.tx(async (tx) => {
        const done = await work(tx)
        return isLast && when === 'before' ? die() : done
      }, durability)
      return isLast ? die() : result
    },
  }
}

describe.each(engines)('data keys on $name', ({ scene }) => {
  test('are replaced, and clients see no difference', async () => {
    const at = await scene()
    const { sql, clock, node, other } = at
    await fill(at)
    const [before, former, values] = [await traces(sql), await currentKeys(sql), await other.read()]
    const seen: string[] = []
    const rotation = new KeyRotation({ sql, keyring: node.keyring, clock })
    const outcome = await rotation.run({}, (done, total) => seen.push(`${done} of ${total}`))
    const states = 130 + 132 + 2
    expect(outcome).toEqual({ rotated: 1, recent: 0, resealed: states, unopened: 0 })
    // Stages.
    expect(seen).toEqual(['1 of 2', '2 of 2'])
    expect(await traces(sql)).toEqual(before)
    await expectRotated(at, former, values)
    expect(await other.read(preview)).toEqual({ A: ['of preview'] })
    const noted = await sql.all("select org_id, actor, revision from audit where action = 'key.rotate'")
    expect(noted).toEqual([{ org_id: 'org_1', actor: 'operator', revision: null }])
  })

  test('keep the history: a node that had the stage in memory all the time shows and restores it', async () => {
    const at = await scene()
    const { sql, other } = at
    await fill(at)
    await other.read()
    await rotate(at)
    const history = new History({ sql, keyring: other.keyring })
    const changes = await history.list(await other.stages.find(live, noReads), { limit: 500 }, true)
    expect(changes).toHaveLength(133)
    const states = changes.flatMap(({ digests, before }) => [digests, before?.digests])
    const opened = states.filter((digests) => digests?.value !== undefined || digests?.a !== undefined)
    // N1 and N2 also show the state before; N2 has no state after.
    expect(opened).toHaveLength(133 - 1 + 2)
    await other.make(new RestoreChange(sql).change({ revision: 1, names: ['N1', 'N2'] }))
    expect(await other.read()).toMatchObject({ N1: ['value 1'], N2: ['value 2'], N3: ['value 3'] })
    expect(await keysInUse(sql)).toEqual(await currentKeys(sql))
  })

  test('continue where they stopped, before or after any transaction', async () => {
    const at = await scene()
    await fill(at)
    const values = await at.node.read()
    let stops = 0
    for (const when of ['before', 'after'] as const) {
      for (let n = 1, isStopped = true; isStopped; n++) {
        const former = await currentKeys(at.sql)
        isStopped = await rotate(at, dyingAt(at.sql, n, when)).then(
          () => false,
          (error: Error) => error.message === 'died',
        )
        at.other.stages.forget(live)
        expect(await at.other.read()).toEqual(values)
        if (isStopped) stops++
        const { rotated } = await rotate(at)
        expect(rotated).toBe(n === 1 && when === 'before' ? 1 : 0)
        await expectRotated(at, former, values)
        at.clock.advance(dayMs)
        await sweep(at.sql, at.clock.now(), 10_000)
      }
    }
    expect(stops).toBeGreaterThan(10)
  })

  test('are replaced once by two simultaneous rotations', async () => {
    const at = await scene()
    await fill(at)
    const [former, values] = [await currentKeys(at.sql), await at.node.read()]
    const outcomes = await Promise.all([rotate(at), rotate({ ...at, node: at.other })])
    expect(outcomes.map(({ rotated }) => rotated).toSorted((a, b) => a - b)).toEqual([0, 1])
    await expectRotated(at, former, values)
    expect(await at.sql.all("select seq from audit where action = 'key.rotate'")).toHaveLength(1)
  })

  test('are replaced for one organization or project, and key-status reports which are old or retired', async () => {
    const at = await scene()
    const { clock, node } = at
    const others: StageRef[] = [
      { ...live, projectSlug: 'api' },
      { ...live, orgId: 'org_2' },
    ]
    for (const address of [live, ...others]) await node.write({ entries: [secret('A')] }, address)
    const ask = (words: string) => onStore({ ...at, keyring: node.keyring } as unknown as Installation, words)
    const masterKeys = await node.keyring.wrapping()
    const quiet = { ...masterKeys, current: 3, retired: 0, retiredInUse: 0, olderThanAYear: [] }
    expect(await ask('key status')).toEqual(quiet)
    clock.advance(366 * dayMs)
    const olderThanAYear = ['org_1/api', 'org_1/shop', 'org_2/shop']
    expect(await ask('key status')).toEqual({ ...quiet, olderThanAYear })
    const nothing = { rotated: 0, recent: 0, resealed: 0, unopened: 0 }
    expect(await ask('data-key rotate --org org_1 --project api')).toEqual({ ...nothing, rotated: 1, resealed: 2 })
    expect(await ask('key status')).toMatchObject({
      current: 3,
      retired: 1,
      olderThanAYear: ['org_1/shop', 'org_2/shop'],
    })
    expect(await ask('data-key rotate --org org_1')).toEqual({ ...nothing, rotated: 1, recent: 1, resealed: 2 })
    expect(await ask('data-key rotate')).toEqual({ ...nothing, rotated: 1, recent: 2, resealed: 2 })
    await expect(ask('data-key rotate --org org_1 --project shoop')).rejects.toThrow(
      'The organization has no project with this slug.',
    )
    const noted = await at.sql.all(
      "select org_id, project_slug from audit where action = 'key.rotate' order by org_id, seq",
    )
    expect(noted.map((row) => ({ ...(row as object) }))).toEqual([
      { org_id: 'org_1', project_slug: 'api' },
      { org_id: 'org_1', project_slug: null },
      { org_id: 'org_2', project_slug: null },
    ])
  })

  test('that are younger than an hour are kept', async () => {
    const at = await scene()
    await fill(at)
    await rotate(at)
    at.clock.advance(60 * 60_000)
    expect(await rotate(at)).toEqual({ rotated: 0, recent: 1, resealed: 0, unopened: 0 })
    at.clock.advance(1)
    expect(await rotate(at)).toMatchObject({ rotated: 1, recent: 0 })
  })

  test('that are retired are deleted later, but not while a stored value needs them', async () => {
    const at = await scene()
    const { sql, clock, node } = at
    await fill(at)
    const damaged = Buffer.from((await sql.all<{ sealed: Uint8Array }>(damagedRow))[0]?.sealed ?? [])
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
    await sql.tx((tx) => tx.all("update variables set sealed = $1 where name = 'N5'", damaged))
    expect(await rotate(at)).toMatchObject({ rotated: 1, unopened: 1 })
    const sweepAfter = async (ms: number): Promise<number> => {
      clock.advance(ms)
      await sweep(sql, clock.now(), 10_000)
      return (await retiredKeys(sql)).length
    }
    expect(await sweepAfter(10 * 60_000 + 1)).toBe(1)
    await node.write({ entries: [secret('N5', 'whole')] })
    expect(await sweepAfter(0)).toBe(0)
    clock.advance(dayMs)
    await rotate(at)
    expect(await sweepAfter(10 * 60_000)).toBe(1)
    expect(await sweepAfter(1)).toBe(0)
    expect((await node.read())['N5']).toEqual(['whole'])
  })
})

describe.each(engines)('while data keys are replaced on $name', ({ scene }) => {
  test('a node with the former keys in memory reads, writes and creates stages, and seals nothing with these keys', async () => {
    const at = await scene()
    const { sql, other } = at
    await fill(at)
    const values = await other.read()
    await rotate(at)
    expect(await other.read()).toEqual(values)
    await other.write({ entries: [secret('N7', 'newer')] })
    expect(await other.read()).toEqual({ ...values, N7: ['newer'] })
    await other.write({ entries: [secret('A', 'x')] }, { ...live, stageSlug: 'new' })
    await other.write({ deletes: ['N8'] })
    expect(await keysInUse(sql)).toEqual(await currentKeys(sql))
  })

  test('restored and copied values are resealed with the current key', async () => {
    const at = await scene()
    const { sql, clock, node, other } = at
    await fill(at)
    const { projectId } = (await other.stages.current(live)) as Stage
    const minted = await node.keyring.mintFor(projectId)
    const nowMs = clock.now()
    await sql.tx((tx) => node.keyring.rotate(tx, projectId, minted, { madeBeforeMs: nowMs, nowMs }))
    // The values are still under the former key.
    await other.make(changeOfChance({ name: 'ROLL', chance: 0.25 }))
    await other.make(new RestoreChange(sql).change({ revision: 1, names: ['N1', 'N2'] }))
    const copies = new CopyChange({ stages: other.stages, log: silent })
    await other.make(copies.change({ from: preview, mayReadTarget: true }, { names: ['A'] }))
    const states = await sql.all<{ name: string; sealed: Uint8Array }>(
      "select name, sealed from variables where name in ('ROLL', 'N1', 'N2', 'A') and updated_at_ms = $1 order by name",
      nowMs,
    )
    expect(states.map(({ name, sealed }) => [name, keyIdOfPacked(sealed)])).toEqual(
      ['A', 'N1', 'N2', 'ROLL'].map((name) => [name, minted.key.id]),
    )
    expect(await other.read()).toMatchObject({ A: ['of preview'], N1: ['value 1'], N2: ['value 2'], ROLL: ['a', 'b'] })
  })

  test('pins are resealed with their roll, also by a write that keeps them or changes one', async () => {
    const at = await scene()
    const { sql, clock, node, other } = at
    const names = ['CHANGED', 'KEPT', 'ROTATED']
    const pins = { a: ['user-1'], b: [] }
    await node.write({ entries: names.map((name) => ({ ...abRoll(name), pins })) })
    clock.advance(dayMs)
    const former = await keysInUse(sql)
    const { projectId } = (await other.stages.current(live)) as Stage
    const minted = await node.keyring.mintFor(projectId)
    const nowMs = clock.now()
    await sql.tx((tx) => node.keyring.rotate(tx, projectId, minted, { madeBeforeMs: nowMs, nowMs }))
    // The pins are still under the former key.
    await other.write({ entries: [abRoll('KEPT')] })
    await other.make(new UpdateChange(silent).change({ updates: [{ name: 'CHANGED', pin: { b: ['user-2'] } }] }))
    await rotate(at)
    for (const row of await sql.all<{ name: string; sealed: Uint8Array }>('select name, sealed from variables')) {
      const blobs = unpack(row.sealed)
      expect([row.name, blobs.length]).toEqual([row.name, 3])
      expect(new Set(blobs.map(keyIdOf))).toEqual(new Set([minted.key.id]))
    }
    expect([...(await keysInUse(sql))].filter((id) => former.has(id))).toEqual([])
    other.stages.forget(live)
    const stage = (await other.stages.current(live)) as Stage
    const found = names.map((name) => pinsOf(stage.sealer, stage.variables.get(name) as StoredVariable))
    expect(found).toEqual([{ a: ['user-1'], b: ['user-2'] }, pins, pins])
  })

  // The writer pauses before it locks the stage, or after it has seen that the key may seal.
  test.each([
    ['a write', 'update stages set revision', live],
    ['a write', 'insert into meters', live],
    ['the creation of a stage', 'insert into meters', { ...live, stageSlug: 'new' }],
  ])('%s that began with the former key leaves nothing sealed with it: %s', async (_, text, address) => {
    const at = await scene()
    const { sql, clock } = at
    await fill(at)
    const former = await currentKeys(sql)
    const pausing = pausingBefore(sql, text)
    const writer = await (at.other === at.node ? newNode : newSharedNode)(pausing.sql, clock)
    const writing = writer.write({ entries: [secret('LATE', 'v')] }, address)
    await pausing.arrived
    const rotating = rotate(at)
    // Enough round trips for a rotation that does not wait to finish.
    for (let left = 300; left > 0; left--) await sql.all('select 1')
    pausing.release()
    await Promise.all([writing, rotating])
    // A node on the embedded store does not see writes of another process.
    if (at.other === at.node) for (const each of [live, address]) at.node.stages.forget(each)
    expect(await at.other.read(address)).toMatchObject({ LATE: ['v'] })
    await expectRotated(at, former, await at.node.read())
  })
})
