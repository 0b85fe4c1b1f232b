/** What a replica has after any sequence of changes, checkpoints, faults of the receiver, kills and losses of the machine. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough, type Readable } from 'node:stream'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, test } from 'vitest'
import { encryptFor } from '../../src/backup/age.ts'
import { sealInto } from '../../src/replica/format.ts'
import { lastState } from '../../src/replica/state.ts'
import { isLong } from '../../testkit/long.ts'
import { Random } from '../../testkit/random.ts'
import { restoredFrom, restoreTo, ShippedStore, type ReceiverFault, type State } from '../../testkit/replica.ts'

const cases = isLong ? 300 : 3
const steps = isLong ? 24 : 12
const receiverFaults: readonly ReceiverFault[] = ['lose', 'late', 'half', 'unreadable']

test.for(Array.from({ length: cases }, (_, index) => index))('case %i: it has what was shipped', async (index) => {
  const random = new Random(7_000 + index)
  let store = await ShippedStore.start()
  const { replica } = store
  const moments: { atMs: number; state: State }[] = []
  /** The last state that was certainly shipped, and those after it that may have been. */
  let possible: State[] = []
  for (let step = 0; step < steps; step++) {
    store.clock.advance(1_000)
    changeOften(store, random)
    const { state } = store
    possible.push(state)
    if (random.once(4)) store.target.fault = random.pick(receiverFaults)
    await store.shipper.shipAll()
    if (store.shipper.metrics.lagMs === undefined) {
      moments.push({ atMs: store.clock.now(), state })
      possible = [state]
    }
    if (random.once(6)) {
      const { folder } = store
      store = await lost(store, random, moments.length > 0 ? possible : undefined)
      possible = store.folder === folder ? [...possible, store.state] : [store.state]
    }
  }
  await store.shipper.shipAll()
  expect(await store.restore()).toEqual(store.state)
  await store.kill()
  for (const { atMs, state } of isLong ? moments : moments.slice(-3)) {
    expect([atMs, await restoredFrom(replica, atMs + random.int(1_000))]).toEqual([atMs, state])
  }
})

function changeOften(store: ShippedStore, random: Random): void {
  for (let changes = random.int(4); changes >= 0; changes--) {
    store.change(random)
    if (random.once(3)) store.checkpoint()
  }
}

/** Loses the process, or the machine, while something is shipped or not. Returns the next one. */
async function lost(
  store: ShippedStore,
  random: Random,
  possible: readonly State[] | undefined,
): Promise<ShippedStore> {
  const { replica, clock, folder } = store
  clock.advance(1_000)
  let letGo = (): void => {}
  if (random.once(2)) {
    changeOften(store, random)
    store.target.held = new Promise((resolve) => (letGo = resolve))
    store.shipper.tick()
  }
  if (!possible || random.once(2)) {
    await store.kill()
    const next = await ShippedStore.start({ folder, replica, clock })
    letGo()
    return next
  }
  // The machine is gone, and what it was sending arrives later.
  const restored = await restoreTo(replica)
  expect(possible).toContainEqual(restored.state)
  const next = await ShippedStore.start({ folder: restored.folder, replica, clock })
  await next.shipper.shipAll()
  letGo()
  await store.kill()
  return next
}

/** A replica with a snapshot and three segments, and what it has. */
async function threeSegments() {
  const store = await ShippedStore.start()
  const random = new Random(1)
  const states: State[] = []
  for (let step = 0; step < 4; step++) {
    store.insert(random.int(9_000))
    states.push(store.state)
    await store.shipper.shipAll()
    store.clock.advance(1_000)
  }
  return { store, states, objects: objectsIn(store.replicaFolder) }
}

function objectsIn(replica: string): string[] {
  return readdirSync(replica, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(segment|snapshot)$/.test(name))
    .toSorted()
}

test('what is read after the store was closed is not shipped, because the next start writes it', async () => {
  const store = await ShippedStore.start()
  store.insert(9)
  const capture = store.files.capture('all')
  await store.kill()
  await expect(store.stateOfCapture(capture)).rejects.toThrow('the store is closed')
  expect(() => store.files.capture('changed')).toThrow('the store is closed')
})

test('a damaged or missing object is named, and never skipped', async () => {
  const { store, states, objects } = await threeSegments()
  expect(objects).toHaveLength(4)
  await store.kill()
  for (const [index, name] of objects.entries()) {
    const file = path.join(store.replicaFolder, name)
    const whole = readFileSync(file)
    const other = path.join(store.replicaFolder, objects[(index + 1) % objects.length] ?? '')
    for (const damage of damages(whole, readFileSync(other))) {
      writeFileSync(file, damage)
      await expect(store.restore()).rejects.toThrow(name)
    }
    rmSync(file)
    const found = await store.restore().catch(({ message }: Error) => message)
    // Only the service knows that there was one after the last.
    const named: unknown = expect.stringContaining(`Segment ${index + 1} of writer 1 is missing`)
    expect(found).toEqual([expect.stringContaining('no snapshot'), named, named, states[2]][index])
    writeFileSync(file, whole)
  }
  expect(await store.restore()).toEqual(states[3])
})

function damages(whole: Buffer, other: Buffer): Buffer[] {
  const step = isLong ? 97 : Math.ceil(whole.length / 5)
  const flipped = Array.from({ length: Math.ceil(whole.length / step) }, (_, at) => at * step).map((index) => {
    const bytes = Buffer.from(whole)
    bytes[index] = (bytes[index] ?? 0) ^ 1
    return bytes
  })
  return [
    ...flipped,
    other,
    whole.subarray(0, -1),
    whole.subarray(0, 400),
    Buffer.alloc(0),
    Buffer.concat([whole, whole]),
  ]
}

test('an object that the receiver took and lost is missed, and a snapshot follows', async () => {
  const { store, states } = await threeSegments()
  store.insert(100)
  store.target.fault = 'forget'
  await store.shipper.shipAll()
  expect(await store.restore()).toEqual(states[3])
  store.clock.advance(5 * 60_000)
  await store.shipper.shipAll()
  expect(store.log.join()).toMatch(/segment 5.*lost an object/)
  await store.shipper.shipAll()
  expect(await store.restore()).toEqual(store.state)
  await store.kill()
})

test('an older writer that still lives stops at once and says so, and a restore does not wait for it', async () => {
  const { store: older, states } = await threeSegments()
  const restored = await restoreTo(older.replica)
  const newer = await ShippedStore.start({ folder: restored.folder, replica: older.replica, clock: older.clock })
  await newer.shipper.shipAll()
  expect(newer.log.join()).toMatch(/process \d+.*replaced the writer of the replica/)
  expect(restored.state).toEqual(states[3])
  older.insert(100)
  await older.shipper.shipAll()
  expect(older.shipper.metrics.isReplaced).toBe(true)
  expect(older.log.filter((line) => line.includes('replaced this process'))).toHaveLength(1)
  expect(lastState(older.folder)).toMatchObject({ state: 'replaced', writer: { writer: 1 }, successor: { writer: 2 } })
  newer.insert(200)
  await newer.shipper.shipAll()
  expect(await newer.restore()).toEqual(newer.state)
  expect(objectsIn(older.replicaFolder).filter((name) => name.startsWith('0000000001/'))).toHaveLength(4)
  await older.kill()
  await newer.kill()
})

test('a receiver that hangs makes no one wait, is loud, and later gets what it lacks', async () => {
  const { store } = await threeSegments()
  let letGo = (): void => {}
  store.target.held = new Promise((resolve) => (letGo = resolve))
  for (let seconds = 0; seconds <= 40; seconds += 10) {
    store.insert(100)
    store.checkpoint()
    store.shipper.tick()
    store.clock.advance(10_000)
  }
  store.shipper.tick()
  expect(store.shipper.metrics.lagMs).toBe(50_000)
  expect(store.log.join()).toContain('the replica is behind')
  expect(lastState(store.folder)).toMatchObject({ state: 'behind' })
  letGo()
  store.target.held = undefined
  await store.shipper.shipAll()
  await store.shipper.shipAll()
  expect(store.log.join()).toContain('the replica has everything again')
  expect(await store.restore()).toEqual(store.state)
  await store.kill()
})

test('a log of many blocks of its index, and writes and checkpoints of another program, are shipped', async () => {
  const { store } = await threeSegments()
  for (let step = 0; step < (isLong ? 9 : 5); step++) store.insert(500_000)
  await store.shipper.shipAll()
  expect(await store.restore()).toEqual(store.state)
  const other = new DatabaseSync(path.join(store.folder, 'rollkey.db'))
  other.exec('delete from rows where id % 2 = 0; pragma wal_checkpoint(truncate); delete from rows where id % 3 = 0')
  store.insert(50)
  await store.shipper.shipAll()
  await store.shipper.shipAll()
  expect(await store.restore()).toEqual(store.state)
  other.close()
  await store.kill()
})

test('a capture is of one moment, while others write, move the log to the file and start it again', async () => {
  for (const before of ['in the log', 'in the file']) {
    const { store } = await threeSegments()
    store.insert(20_000)
    if (before === 'in the file') store.checkpoint()
    const { state } = store
    const capture = store.files.capture('all')
    for (let more = 0; more < 3; more++) {
      store.insert(30_000)
      store.checkpoint()
    }
    expect(await store.stateOfCapture(capture)).toEqual(state)
    await store.kill()
  }
})

test('sealing many pages lets the event loop turn after at most 128 KiB', async () => {
  const pages = randomBytes(600 * 4_096)
  const data = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < pages.length; at += 262_144) yield pages.subarray(at, at + 262_144)
  }
  let turn = 0
  let looking = setImmediate(function look() {
    turn++
    looking = setImmediate(look)
  })
  const sealedInTurn = new Map<number, number>()
  const sealed = new PassThrough().on('data', ({ length }: Buffer) => {
    sealedInTurn.set(turn, (sealedInTurn.get(turn) ?? 0) + length)
  })
  const name = { writer: 1, number: 1, atMs: 0, kind: 'segment' } as const
  const seal = await encryptFor(await identityToRecipient(await generateX25519Identity()), 'the test')
  await sealInto(sealed, name, { databases: [], journals: [], data, release: () => {} }, { seal, secret: '' })
  clearImmediate(looking)
  const chunkBytes = 65_536 + 16
  expect(Math.max(...sealedInTurn.values())).toBeLessThanOrEqual(2 * chunkBytes)
  expect(sealedInTurn.size).toBeGreaterThan(pages.length / chunkBytes / 2)
})

test('a page that cannot be read fails its capture, and not the process', async () => {
  const name = { writer: 1, number: 1, atMs: 0, kind: 'segment' } as const
  const unreadable = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(1)
    throw new Error('the disk failed')
  }
  const capture = { databases: [], journals: [], data: unreadable, release: () => {} }
  // Nothing of the seal has begun when the reading fails.
  const seal = async (plain: Readable): Promise<Readable> => {
    await once(plain, 'close')
    return plain
  }
  const sealed = sealInto(new PassThrough(), name, capture, { seal, secret: '' })
  await expect(sealed).rejects.toThrow('the disk failed')
})

test('what only earlier moments need is deleted, and the newest state never', async () => {
  const { store } = await threeSegments()
  const hourMs = 60 * 60_000
  const moments: { atMs: number; state: State }[] = []
  for (let hour = 0; hour < 60; hour += 4) {
    store.insert(1_000)
    await store.shipper.shipAll()
    moments.push({ atMs: store.clock.now(), state: store.state })
    store.clock.advance(4 * hourMs)
  }
  const kept = moments.filter(({ atMs }) => atMs > store.clock.now() - 24 * hourMs)
  for (const { atMs, state } of kept) expect(await store.restore(atMs)).toEqual(state)
  await expect(store.restore(moments[0]?.atMs)).rejects.toThrow(/The replica begins at/)
  expect(objectsIn(store.replicaFolder).length).toBeLessThan(moments.length + 4)
  await store.kill()
})
