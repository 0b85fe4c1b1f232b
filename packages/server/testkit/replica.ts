/** A store that is shipped, a receiver with faults, and a recorder of each state of the store. */
import { createHash } from 'node:crypto'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import path from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { encryptFor } from '../src/backup/age.ts'
import { createLog } from '../src/base/log.ts'
import { noProgress } from '../src/base/progress.ts'
import type { Keyring } from '../src/crypto/keyring.ts'
import { StoreFiles } from '../src/replica/capture.ts'
import { contentOf, FileTarget } from '../src/replica/file-target.ts'
import { firstLineOf, sealInto, type Capture } from '../src/replica/format.ts'
import { nameOf, type ObjectName } from '../src/replica/names.ts'
import { readReplica } from '../src/replica/restore.ts'
import { Shipper } from '../src/replica/shipper.ts'
import { Standby } from '../src/replica/standby.ts'
import { readRecord, type StandbyRecord } from '../src/replica/standby-record.ts'
import type { Content, ReplicaTarget } from '../src/replica/target.ts'
import { TestClock } from './clock.ts'
import { temporaryFolder } from './folder.ts'
import type { Random } from './random.ts'

/** `lose`: stores nothing and fails. `late`: fails, and stores it at the next request. `forget`: stores nothing and reports success. */
export type ReceiverFault = 'lose' | 'late' | 'half' | 'forget' | 'unreadable'

/** A receiver that does what `fault` says with the next object. */
export class FaultyTarget implements ReplicaTarget {
  readonly #target: ReplicaTarget
  #late: (() => Promise<void>)[] = []
  fault: ReceiverFault | undefined
  /** Holds every request until it resolves. */
  held: Promise<void> | undefined

  constructor(target: ReplicaTarget) {
    this.#target = target
  }

  async list(prefix: string, after?: string) {
    await this.#begin()
    return this.#target.list(prefix, after)
  }

  async get(name: string): Promise<Readable | undefined> {
    await this.#begin()
    return this.#target.get(name)
  }

  async put(name: string, content: Content): Promise<void> {
    await this.#begin()
    const fault = this.fault
    if (fault === undefined || fault === 'unreadable') return this.#target.put(name, content)
    this.fault = undefined
    if (fault === 'late') {
      const kept = contentOf(await buffer(content.open()))
      this.#late.push(() => this.#target.put(name, kept))
    }
    if (fault === 'half') await this.#target.put(name, content)
    if (fault !== 'forget') throw Object.assign(new Error('the receiver failed'), { code: 'FAILED' })
  }

  async create(name: string, content: Content): Promise<boolean> {
    await this.#begin()
    return this.#target.create(name, content)
  }

  async remove(name: string): Promise<void> {
    await this.#begin()
    await this.#target.remove(name)
  }

  async #begin(): Promise<void> {
    await this.held
    if (this.fault === 'unreadable') {
      this.fault = undefined
      throw Object.assign(new Error('the receiver failed'), { code: 'FAILED' })
    }
    const late = this.#late
    this.#late = []
    for (const store of late) await store()
  }
}

const secret = 'of the installation'
const identity = await generateX25519Identity()
const recipient = await identityToRecipient(identity)
const startMs = Date.UTC(2026, 10, 29)

/** What a folder has: the digest of each table, and what its usage journal has beside them. */
export type State = Readonly<Record<string, string>>

function stateOf(folder: string): State {
  const state: Record<string, string> = {}
  for (const name of ['rollkey.db', 'identity.db']) {
    const file = path.join(folder, name)
    const database = new DatabaseSync(file, { readOnly: true })
    const [check] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    const hash = createHash('sha256')
    let count = 0
    for (const { id, value } of database.prepare('select id, value from rows order by id').iterate()) {
      hash.update(`${String(id)} `).update(value as Uint8Array)
      count++
    }
    state[name] = `${check?.integrity_check} ${count} ${hash.digest('hex').slice(0, 12)}`
    database.close()
  }
  const usage = path.join(folder, 'usage')
  for (const name of readdirSync(usage))
    state[name] = createHash('sha256')
      .update(readFileSync(path.join(usage, name)))
      .digest('hex')
      .slice(0, 12)
  return state
}

/** A folder, or something else that takes objects. */
type Replica = string | ReplicaTarget

function targetOf(replica: Replica): ReplicaTarget {
  return typeof replica === 'string' ? new FileTarget(replica) : replica
}

/** One life of a service: from a start on a folder to its end. */
export class ShippedStore {
  readonly folder: string
  readonly replica: Replica
  readonly target: FaultyTarget
  readonly clock: TestClock
  readonly log: string[] = []
  readonly files: StoreFiles
  readonly shipper: Shipper
  readonly #databases: readonly DatabaseSync[]
  #journal = 0

  private constructor(parts: {
    folder: string
    replica: Replica
    clock: TestClock
    seal: Awaited<ReturnType<typeof encryptFor>>
  }) {
    this.folder = parts.folder
    this.replica = parts.replica
    this.clock = parts.clock
    mkdirSync(path.join(this.folder, 'usage'), { recursive: true })
    this.#databases = ['rollkey.db', 'identity.db'].map((name) => {
      const database = new DatabaseSync(path.join(this.folder, name))
      // Small pages make a long log of few bytes.
      database.exec(`pragma page_size = 512; pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
        create table if not exists rows (id integer primary key, value blob); create index if not exists v on rows (value)`)
      return database
    })
    this.target = new FaultyTarget(targetOf(this.replica))
    this.files = new StoreFiles(this.folder)
    const log = createLog('info', { write: (line) => this.log.push(line) })
    const { seal } = parts
    const { target, files, clock } = this
    this.shipper = new Shipper({ target, files, seal, secret, dataDir: this.folder, days: 1, clock, log })
    this.shipper.start()
  }

  static async start(parts: { folder?: string; replica?: Replica; clock?: TestClock } = {}): Promise<ShippedStore> {
    const clock = parts.clock ?? new TestClock()
    if (!parts.clock) clock.freezeAt(startMs)
    const seal = await encryptFor(recipient, 'the test')
    const { folder = temporaryFolder(), replica = temporaryFolder() } = parts
    return new ShippedStore({ folder, replica, clock, seal })
  }

  /** Changes the store in one of many ways. */
  change(random: Random): void {
    const database = random.pick(this.#databases)
    const bytes = (): Buffer => Buffer.alloc(1 + random.int(random.once(9) ? 60_000 : 300), random.int(256))
    database.exec('begin')
    for (let left = 1 + random.int(8); left > 0; left--) {
      if (random.once(5)) database.prepare('delete from rows where id % 3 = ?').run(random.int(3))
      else database.prepare('insert or replace into rows values (?, ?)').run(random.int(400), bytes())
    }
    database.exec(random.once(6) ? 'rollback' : 'commit')
    if (random.once(12)) database.exec('vacuum')
    if (random.once(3)) appendFileSync(this.#journalFile(), `${'x'.repeat(random.int(90))}\n`)
    if (random.once(7)) this.#journal++
    if (random.once(7)) this.#removeJournal(database)
  }

  get replicaFolder(): string {
    return this.replica as string
  }

  /** Adds a row with some bytes. */
  insert(bytes: number): void {
    this.#databases[0]?.prepare('insert into rows (value) values (?)').run(Buffer.alloc(bytes + 1, 7))
  }

  /** Removes a file whose lines are in the tables, as the journal does: the removal of its number follows. */
  #removeJournal(database: DatabaseSync): void {
    rmSync(path.join(this.folder, 'usage', `${this.#journal - 1}.journal`), { force: true })
    database.prepare('insert into rows (value) values (?)').run(Buffer.of(1))
  }

  #journalFile(): string {
    return path.join(this.folder, 'usage', `${this.#journal}.journal`)
  }

  /** Moves the log to the file, as the shipper does when it is long. */
  checkpoint(): void {
    this.files.checkpoint(1)
  }

  get state(): State {
    return stateOf(this.folder)
  }

  /** Returns the state that a capture has, and ends it. */
  async stateOfCapture(capture: Capture): Promise<State> {
    const name = { writer: 1, number: 1, atMs: 0, kind: 'snapshot' } as const
    const sealed = new PassThrough()
    const seal = await encryptFor(recipient, 'the test')
    const [sha256, bytes] = await Promise.all([sealInto(sealed, name, capture, { seal, secret }), buffer(sealed)])
    capture.release()
    const replica = temporaryFolder()
    const content = contentOf(Buffer.concat([firstLineOf(name, sha256, ''), bytes]))
    await new FileTarget(replica).put(nameOf(name), content)
    return restoredFrom(replica)
  }

  /** Restores the replica to a new folder. */
  restore(toMs?: number): Promise<State> {
    return restoredFrom(this.replica, toMs)
  }

  /** Ends as kill -9 does: nothing more is shipped. */
  async kill(): Promise<void> {
    this.files.close()
    for (const database of this.#databases) database.close()
  }
}

/** Stores an object that anyone with the public half of the backup key could make. */
export async function forge(replica: string, name: ObjectName): Promise<void> {
  const sealed = new PassThrough()
  const seal = await encryptFor(recipient, 'the test')
  const capture = { databases: [], journals: [], data: async function* () {}, release: () => {} }
  const [sha256, bytes] = await Promise.all([
    sealInto(sealed, name, capture, { seal, secret: 'another' }),
    buffer(sealed),
  ])
  await new FileTarget(replica).put(nameOf(name), contentOf(Buffer.concat([firstLineOf(name, sha256, ''), bytes])))
}

/** A standby in a folder, as after a start of its process. */
export class FollowedReplica {
  readonly log: string[] = []
  readonly standby: Standby
  readonly #dataDir: string

  constructor(target: ReplicaTarget, dataDir: string, clock: TestClock) {
    this.#dataDir = dataDir
    const parts = {
      target,
      identity,
      dataDir,
      clock,
      progress: noProgress,
      log: createLog('info', { write: (line) => this.log.push(line) }),
      openKeyring: async () => ({ secretFor: () => secret }) as unknown as Keyring,
    }
    this.standby = new Standby(parts as unknown as ConstructorParameters<typeof Standby>[0])
  }

  get errors(): string[] {
    return this.log.filter((line) => line.includes('"level":"error"'))
  }

  get record(): StandbyRecord | undefined {
    return readRecord(this.#dataDir)
  }

  /** Folder of its store. */
  get folder(): string {
    return path.join(this.#dataDir, 'standby', this.record?.position?.folder ?? '')
  }

  /** Returns what its store has, and leaves nothing beside it. */
  get state(): State {
    const copy = temporaryFolder()
    cpSync(this.folder, copy, { recursive: true })
    return stateOf(copy)
  }
}

/** Restores a replica to a new folder, and checks the signatures. */
export async function restoreTo(replica: Replica, toMs?: number): Promise<{ folder: string; state: State }> {
  const folder = temporaryFolder()
  const source = { target: targetOf(replica), identity, toMs }
  const { objects } = await readReplica(source, folder, noProgress)
  for (const each of objects) each.assertSigned(secret)
  return { folder, state: stateOf(folder) }
}

/** Returns the state that a replica restores. */
export async function restoredFrom(replica: Replica, toMs?: number): Promise<State> {
  return (await restoreTo(replica, toMs)).state
}
