/**
 * The usage journal of the embedded store. Billing events are appended to a file and survive kill -9 as soon as the kernel
 * has the line. Once a second the file is closed and its events are written to the tables, so no request waits for that
 * transaction. Until then the events are also in memory, where queries of the usage find them.
 *
 * A file is a list of lines. Each line is the CRC-32 of the rest in 8 hex digits, a space, and the JSON of `[time in ms,
 * [org, project, stage, units, hash of the request key or null, kind of credential, caller]…]`. A line without its line feed
 * was never acknowledged, and a line that does not match its checksum was damaged later. Older versions wrote no checksum
 * and no caller. The transaction that writes a file's events also stores its number, so that after a crash the service
 * knows which files are in the tables.
 */
import { closeSync, fdatasync, fsync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { limits } from '@rollkey/contract'
import { dayOf, monthOf } from '../base/clock.ts'
import { StoreUnavailable } from '../base/api-error.ts'
import { reasonOf, type Log } from '../base/log.ts'
import { Mutex } from '../concurrency/mutex.ts'
import type { Durability, Sql, Tx } from './sql.ts'
import {
  addCallerUsage,
  addToMeter,
  addUsage,
  deleteUsageJournal,
  insertUsageJournal,
  rememberRequestKey,
  usageJournals,
  type UsageCaller,
} from './usage.ts'

/** Units of a stage and a caller; exactly one unit if there is a request key. Ids are as in BillingEvent. */
export interface JournalEntry extends UsageCaller {
  readonly orgId: string
  readonly projectId: string
  readonly stageId: string
  readonly units: number
  readonly keyHash: string | undefined
}

type Line = [nowMs: number, ...entries: [string, string, string, number, (string | null)?, string?, string?][]]

const foldIntervalMs = 1_000
/** How long to wait after a failed attempt. Each attempt can block the event loop while SQLite waits for a lock. */
const retryDelayMs = 10_000
/** How long a file is kept after its events are in the tables, which are synced to the disk once a second. */
const keepFoldedMs = 10_000
/** Maximum keys that one transaction stores. More would delay the requests that arrive while it runs. */
const maxKeysPerTransaction = 50
const filePattern = /^(\d+)\.journal$/

/** The sums of the lines of one file. */
class Tally {
  readonly number: number
  /** Units by organization and month. */
  readonly meters = new Map<string, number>()
  /** Units by organization, project, stage and day. */
  readonly days = new Map<string, number>()
  /** Units by organization, project, stage, day, kind of credential and caller. */
  readonly callers = new Map<string, number>()
  /** Expiry by organization and hash. */
  readonly keys = new Map<string, number>()

  constructor(number: number) {
    this.number = number
  }

  add([nowMs, ...entries]: Line): void {
    const day = dayOf(nowMs)
    for (const [orgId, projectId, stageId, units, keyHash, how = '', caller = ''] of entries) {
      increase(this.meters, joinKey(orgId, monthOf(nowMs)), units)
      const dayKey = joinKey(orgId, projectId, stageId, day)
      increase(this.days, dayKey, units)
      increase(this.callers, joinKey(dayKey, how, caller), units)
      if (keyHash) this.keys.set(joinKey(orgId, keyHash), nowMs + limits.requestKeyWindowMs)
    }
  }
}

interface OpenFile {
  readonly descriptor: number
  readonly tally: Tally
}

function increase(counts: Map<string, number>, name: string, units: number): void {
  counts.set(name, (counts.get(name) ?? 0) + units)
}

/** Joins ids with a space. The service's ids have no space. A caller's id may have one, so it comes last. */
function joinKey(...parts: readonly string[]): string {
  return parts.join(' ')
}

function splitKey(name: string): string[] {
  return name.split(' ')
}

function checksumOf(json: string): string {
  return crc32(json).toString(16).padStart(8, '0')
}

/** Parses a line. Returns undefined if the line is damaged. Older versions wrote the JSON alone. */
function parseLine(text: string): Line | undefined {
  const json = text.startsWith('[') ? text : text.slice(9)
  if (json !== text && text.slice(0, 9) !== `${checksumOf(json)} `) return undefined
  try {
    return JSON.parse(json) as Line
  } catch {
    return undefined
  }
}

/**
 * Returns the readable lines of a file and the number of damaged complete lines. Lines are damaged after a power failure or
 * on a failing disk.
 */
function readLines(file: string): { lines: Line[]; damaged: number } {
  const all = readFileSync(file, 'utf8').split('\n').slice(0, -1).map(parseLine)
  const lines = all.filter((line) => line !== undefined)
  return { lines, damaged: all.length - lines.length }
}

export class UsageJournal {
  readonly #sql: Sql
  readonly #folder: string
  readonly #directory: number
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  /** The file that receives new lines. */
  #file: OpenFile | undefined
  /** Closed files whose events are not in the tables yet, the oldest first. */
  readonly #closed: Tally[] = []
  readonly #folded: { readonly number: number; readonly atMs: number }[] = []
  #nextNumber: number
  readonly #folding = new Mutex()
  readonly #files = new Mutex()
  #folds = 0

  private constructor(sql: Sql, folder: string, log: Log, lastNumber: number) {
    this.#sql = sql
    this.#folder = folder
    this.#log = log
    this.#nextNumber = lastNumber + 1
    this.#directory = openSync(folder, 'r')
    let notBefore = 0
    this.#timer = setInterval(() => {
      if (performance.now() < notBefore) return
      this.fold().catch((error: unknown) => {
        notBefore = performance.now() + retryDelayMs
        log.warn('usage could not be written to the tables and will be retried', { reason: reasonOf(error) })
      })
    }, foldIntervalMs).unref()
  }

  /** Opens or creates the journal in `folder`. Writes what a crash left in it to the tables before it resolves. */
  static async open(sql: Sql, folder: string, log: Log): Promise<UsageJournal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const remaining = readdirSync(folder)
      .flatMap((name) => filePattern.exec(name)?.[1] ?? [])
      .map(Number)
    const inTables = await usageJournals(sql)
    const journal = new UsageJournal(sql, folder, log, Math.max(0, ...remaining, ...inTables))
    try {
      for (const number of remaining.filter((each) => !inTables.includes(each)).toSorted((a, b) => a - b)) {
        const tally = new Tally(number)
        const { lines, damaged } = readLines(journal.#pathOf(number))
        for (const line of lines) tally.add(line)
        if (damaged > 0) log.warn('usage was lost because lines of the journal are damaged', { count: damaged })
        journal.#closed.push(tally)
      }
      await journal.#foldClosed('power')
      for (const number of new Set([...remaining, ...inTables])) await journal.#remove(number)
      return journal
    } catch (error) {
      clearInterval(journal.#timer)
      closeSync(journal.#directory)
      throw error
    }
  }

  /** How many times the tables have received events. */
  get folds(): number {
    return this.#folds
  }

  /** Returns the units of a month that are not in the tables yet. */
  pendingUnits(orgId: string, month: string): number {
    const name = joinKey(orgId, month)
    return this.#tallies().reduce((sum, { meters }) => sum + (meters.get(name) ?? 0), 0)
  }

  /** Returns whether an event with this key was counted and is not in the tables yet. */
  hasPendingKey(orgId: string, keyHash: string, nowMs: number): boolean {
    const name = joinKey(orgId, keyHash)
    return this.#tallies().some(({ keys }) => (keys.get(name) ?? 0) > nowMs)
  }

  #tallies(): readonly Tally[] {
    return this.#file ? [...this.#closed, this.#file.tally] : this.#closed
  }

  /** Stores events. They survive kill -9 once it returns. If it throws StoreUnavailable, it has stored none. */
  append(nowMs: number, entries: readonly JournalEntry[]): void {
    const line: Line = [
      nowMs,
      ...entries.map((entry): Line[1] => {
        const { orgId, projectId, stageId, units, keyHash = null, how, caller } = entry
        return [orgId, projectId, stageId, units, keyHash, how, caller]
      }),
    ]
    const json = JSON.stringify(line)
    const bytes = Buffer.from(`${checksumOf(json)} ${json}\n`)
    try {
      this.#file ??= this.#newFile()
      if (writeSync(this.#file.descriptor, bytes) !== bytes.length)
        throw new Error('the disk accepted only a part of the line')
    } catch (error) {
      // The file may end with a part of the line, so nothing may be appended to it.
      const file = this.#closeFile()
      if (file) closeSync(file.descriptor)
      throw new StoreUnavailable('The usage journal cannot be written at the moment.', { cause: error })
    }
    this.#file.tally.add(line)
  }

  #pathOf(number: number): string {
    return path.join(this.#folder, `${number}.journal`)
  }

  #newFile(): OpenFile {
    const number = this.#nextNumber++
    return { descriptor: openSync(this.#pathOf(number), 'a', 0o600), tally: new Tally(number) }
  }

  /** Stops appending to the current file, if any, and returns it. The next line goes to a new file. */
  #closeFile(): OpenFile | undefined {
    const file = this.#file
    this.#file = undefined
    if (file) this.#closed.push(file.tally)
    return file
  }

  /** Runs work while no event moves from memory to the tables, so that work sees each event exactly once. */
  whileNotFolding<T>(work: () => Promise<T>): Promise<T> {
    return this.#folding.run(work)
  }

  /** Writes all earlier events to the tables. Throws StoreUnavailable; the journal retries on its own. */
  fold(): Promise<void> {
    return this.#files.run(async () => {
      const file = this.#closeFile()
      const isSynced = !file || (await this.#sync(file.descriptor))
      // Events that may be missing in the file are still in memory.
      await this.#foldClosed(isSynced ? 'process' : 'power')
      await this.#removeFolded()
    })
  }

  /** Syncs and closes the file. Returns false if the disk may not have it. */
  async #sync(descriptor: number): Promise<boolean> {
    try {
      await promisify(fdatasync)(descriptor)
      await promisify(fsync)(this.#directory)
      return true
    } catch (error) {
      this.#log.error('the usage journal cannot be synced to the disk', { reason: reasonOf(error) })
      return false
    } finally {
      closeSync(descriptor)
    }
  }

  async #foldClosed(durability: Durability): Promise<void> {
    for (let tally = this.#closed[0]; tally; tally = this.#closed[0]) {
      await this.#foldKeys(tally)
      await this.whileNotFolding(async () => {
        await this.#sql.tx((tx) => foldCounts(tx, tally), durability)
        this.#closed.shift()
        this.#folds++
      })
      this.#folded.push({ number: tally.number, atMs: performance.now() })
    }
  }

  /** Stores the keys before the counts and a few at a time. That is safe, because storing a key again changes nothing. */
  async #foldKeys({ keys }: Tally): Promise<void> {
    const all = [...keys]
    for (let from = 0; from < all.length; from += maxKeysPerTransaction) {
      const some = all.slice(from, from + maxKeysPerTransaction)
      await this.#sql.tx(async (tx) => {
        for (const [name, expiresAtMs] of some) {
          const [orgId = '', keyHash = ''] = splitKey(name)
          await rememberRequestKey(tx, orgId, keyHash, expiresAtMs)
        }
      }, 'process')
      await nextTurn()
    }
  }

  async #removeFolded(): Promise<void> {
    const oldest = performance.now() - keepFoldedMs
    const count = this.#folded.filter(({ atMs }) => atMs < oldest).length
    for (const { number } of this.#folded.splice(0, count)) await this.#remove(number)
  }

  async #remove(number: number): Promise<void> {
    rmSync(this.#pathOf(number), { force: true })
    // Syncs the removal first: a file that reappeared after its number was deleted would be counted again.
    await promisify(fsync)(this.#directory)
    await this.#sql.tx((tx) => deleteUsageJournal(tx, number), 'process')
  }

  /** Writes the remaining events to the tables if the store allows it. The next opening finds the rest. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    try {
      await this.fold()
    } finally {
      closeSync(this.#directory)
    }
  }
}

async function foldCounts(tx: Tx, { number, meters, days, callers }: Tally): Promise<void> {
  await insertUsageJournal(tx, number)
  for (const [name, units] of meters) {
    const [orgId = '', period = ''] = splitKey(name)
    await addToMeter(tx, { orgId, meter: 'evaluations', period }, units, Number.MAX_SAFE_INTEGER)
  }
  for (const [name, units] of days) {
    const [orgId = '', projectId = '', stageId = '', day = ''] = splitKey(name)
    await addUsage(tx, { orgId, projectId, stageId, day }, units)
  }
  for (const [name, units] of callers) {
    const [orgId = '', projectId = '', stageId = '', day = '', how = '', ...caller] = splitKey(name)
    await addCallerUsage(tx, { orgId, projectId, stageId, day, how, caller: joinKey(...caller) }, units)
  }
}
