/** What a standby has after any sequence of writes, starts, faults of the replica and ends of its process. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseName, type ObjectName } from '../../src/replica/names.ts'
import { writeRecord, type StandbyRecord } from '../../src/replica/standby-record.ts'
import type { ReplicaTarget } from '../../src/replica/target.ts'
import { temporaryFolder } from '../../testkit/folder.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { FollowedReplica, forge, ShippedStore, type State } from '../../testkit/replica.ts'

const cases = isLong ? 40 : 1
const steps = isLong ? 24 : 12

test.for(Array.from({ length: cases }, (_, index) => index))('case %i: it has what was shipped', async (index) => {
  const random = new Random(9_001 + index)
  const dataDir = temporaryFolder()
  let store = await ShippedStore.start()
  await store.shipper.shipAll()
  let followed = new FollowedReplica(store.target, dataDir, store.clock)
  await followed.standby.start()
  for (let step = 0; step < steps; step++) {
    store.clock.advance(random.once(12) ? 25 * 60 * 60_000 : 1_000)
    for (let changes = random.int(4); changes >= 0; changes--) store.change(random)
    if (random.once(4)) store.checkpoint()
    if (random.once(4)) store.target.fault = random.pick(['lose', 'late', 'half'])
    await store.shipper.shipAll()
    await store.shipper.shipAll()
    if (random.once(6)) {
      await store.kill()
      store = await ShippedStore.start({ folder: store.folder, replica: store.replica, clock: store.clock })
      await store.shipper.shipAll()
    }
    if (random.once(3)) followed = await restarted(followed, store, dataDir, random)
    if (random.once(3)) continue
    if (random.once(5)) store.target.fault = 'unreadable'
    await followed.standby.tick()
    await followed.standby.tick()
    expect(store.shipper.metrics.lagMs).toBeUndefined()
    expect(followed.state).toEqual(store.state)
  }
  expect(followed.record).toMatchObject({ state: 'following', position: { writer: expect.any(Number) } })
  expect(followed.errors).toEqual([])
  await store.kill()
})

/** Ends its process, at rest or while it applies segments, and starts another. */
async function restarted(
  before: FollowedReplica,
  store: ShippedStore,
  dataDir: string,
  random: Random,
): Promise<FollowedReplica> {
  await before.standby.close()
  const { record } = before
  if (record?.position && random.once(2)) {
    writeRecord(dataDir, { ...record, isApplying: true })
    const file = path.join(before.folder, 'rollkey.db')
    writeFileSync(file, readFileSync(file).fill(1, 512))
  }
  const next = new FollowedReplica(store.target, dataDir, store.clock)
  await next.standby.start()
  return next
}

/** A standby that has the snapshot and the first segment of a replica with two more. */
async function oneOfThree() {
  const store = await ShippedStore.start()
  const dataDir = temporaryFolder()
  const states: State[] = []
  const followed = new FollowedReplica(store.target, dataDir, store.clock)
  for (let step = 0; step < 4; step++) {
    store.insert(5_000)
    states.push(store.state)
    await store.shipper.shipAll()
    store.clock.advance(1_000)
    if (step === 0) await followed.standby.start()
    if (step === 1) await followed.standby.tick()
  }
  const names = readdirSync(store.replicaFolder, { recursive: true, encoding: 'utf8' })
  const [, next = '', last = ''] = names.filter((name) => name.endsWith('.segment')).toSorted()
  return { store, states, dataDir, followed, next, last }
}

type Damage = (whole: Buffer, other: Buffer) => Buffer

function changed(whole: Buffer): Buffer {
  return Buffer.from(whole.map((byte, at) => (at === whole.length - 20 ? byte ^ 1 : byte)))
}

test.for<[string, 'next' | 'last', Damage]>([
  ['with a changed byte', 'next', changed],
  ['with a changed byte, after a whole one,', 'last', changed],
  ['that is truncated', 'next', (whole) => whole.subarray(0, -1)],
  ['that is another one', 'next', (_, other) => other],
])('a segment %s is named at once and not applied', async ([, which, damaged]) => {
  const { store, states, followed, ...names } = await oneOfThree()
  const name = names[which]
  const file = path.join(store.replicaFolder, name)
  const whole = readFileSync(file)
  writeFileSync(file, damaged(whole, readFileSync(path.join(store.replicaFolder, names.last))))
  await followed.standby.tick()
  await followed.standby.tick()
  expect(followed.errors).toEqual([expect.stringContaining(`"name":"${name}"`)])
  expect(followed.record).toMatchObject({ state: 'stuck', problem: expect.stringContaining(name) })
  await expect(followed.standby.promote(false)).rejects.toThrow(name)
  expect(followed.state).toEqual(states[which === 'next' ? 1 : 2])
  writeFileSync(file, whole)
  await followed.standby.tick()
  expect(followed.log.at(-1)).toContain('follows the replica again')
  expect(followed.record).toMatchObject({ state: 'following' })
  expect(followed.state).toEqual(states[3])
  await store.kill()
})

test('a forged segment is not applied', async () => {
  const { store, states, followed, next } = await oneOfThree()
  const { writer, number, atMs } = parseName(next) as ObjectName
  await forge(store.replicaFolder, { writer, number, atMs, kind: 'segment' })
  await followed.standby.tick()
  expect(followed.record?.problem).toContain(`${next} in the replica is not signed by the installation`)
  expect(followed.state).toEqual(states[1])
  await store.kill()
})

test('a missing segment is named after a while, and a later snapshot ends that', async () => {
  const { store, states, followed, next } = await oneOfThree()
  rmSync(path.join(store.replicaFolder, next))
  await followed.standby.tick()
  // A snapshot in its place may be under way.
  expect(followed.errors).toEqual([])
  await expect(followed.standby.promote(false)).rejects.toThrow('Segment 3 of writer 1 is missing')
  store.clock.advance(30_000)
  await followed.standby.tick()
  await followed.standby.tick()
  expect(followed.errors).toEqual([expect.stringContaining('segment 3 of writer 1')])
  expect(followed.record).toMatchObject({ state: 'stuck', position: { number: 2 } })
  expect(followed.state).toEqual(states[1])
  store.clock.advance(5 * 60_000)
  await store.shipper.shipAll()
  store.insert(1)
  await store.shipper.shipAll()
  await store.shipper.shipAll()
  await followed.standby.tick()
  expect(followed.record).toMatchObject({ state: 'following' })
  expect(followed.state).toEqual(store.state)
  await store.kill()
})

test('a replica that does not answer is loud after a while, and nothing is promoted that was applied in part', async () => {
  const { store, dataDir, followed, states } = await oneOfThree()
  const gone = { list: () => Promise.reject(new Error('the machine is gone')) } as unknown as ReplicaTarget
  for (const ms of [0, 29_999, 1]) {
    store.clock.advance(ms)
    expect(followed.errors).toEqual([])
    store.target.fault = 'unreadable'
    await followed.standby.tick()
  }
  expect(followed.errors).toHaveLength(1)
  expect(followed.state).toEqual(states[1])
  await followed.standby.close()
  writeRecord(dataDir, { ...(followed.record as StandbyRecord), isApplying: true })
  const next = new FollowedReplica(gone, dataDir, store.clock)
  await expect(next.standby.start()).rejects.toThrow('the machine is gone')
  await expect(next.standby.promote(true)).rejects.toThrow('no state of the replica')
  await store.kill()
})
