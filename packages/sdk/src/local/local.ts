/** Decisions inside the program: a ruleset that is kept current, and reports of what it decided (docs/in-process.md). */
import type { Connection } from '../connection.ts'
import { RollkeyError } from '../errors.ts'
import type { Streams } from '../live/streams.ts'
import { expectLocal, expectRoll } from '../options.ts'
import { merged } from '../roll.ts'
import { SnapshotSaver } from '../snapshot.ts'
import { onWire, stageNotFound } from '../stage-ref.ts'
import type { Inspection, Local, LocalListeners, LocalOptions, Roll, StageRef } from '../types.ts'
import type { Name, ValueOf } from '../variables.ts'
import { isRefusal, RulesetFeed, type TaggedRuleset } from './feed.ts'
import { Reports } from './reports.ts'
import { LocalRuleset } from './ruleset.ts'

interface LocalParts {
  readonly connection: Connection
  readonly streams: Streams
}

const noRoll: Roll = {}
/** How long a start waits for the service before it uses a snapshot, in milliseconds. */
const maxStartMs = 2_000

/** Starts decisions inside the program. Throws RollkeyError if there is neither a ruleset nor a snapshot of one. */
export async function startLocal(
  parts: LocalParts,
  place: { stageRef: StageRef; roll: Roll },
  options: LocalOptions,
): Promise<Local> {
  expectLocal(options)
  const local = new LocalDecisions(parts, place, options)
  try {
    await local.start()
  } catch (error) {
    await local.close()
    throw error
  }
  return local
}

class LocalDecisions implements Local {
  readonly #connection: Connection
  readonly #stageRef: StageRef
  /** The roll of the client; undefined if it has none. */
  readonly #roll: Roll | undefined
  readonly #options: LocalOptions
  readonly #feed: RulesetFeed
  readonly #reports: Reports | undefined
  readonly #saver: SnapshotSaver | undefined
  readonly #ending = new AbortController()
  readonly #listeners: { readonly [Event in keyof LocalListeners]: Set<LocalListeners[Event]> } = {
    change: new Set(),
    stale: new Set(),
  }
  #ruleset: LocalRuleset | undefined
  #saved: TaggedRuleset | undefined
  /** Why the ruleset may be outdated; undefined if it is the current one. */
  #problem: RollkeyError | undefined
  #confirmedAtMs = -Infinity

  constructor(parts: LocalParts, { stageRef, roll }: { stageRef: StageRef; roll: Roll }, options: LocalOptions) {
    const { connection } = parts
    const { closing, host } = connection
    this.#connection = connection
    this.#stageRef = stageRef
    this.#roll = Object.values(roll).some((field) => field !== undefined) ? roll : undefined
    this.#options = options
    const { names, intervalMs = 30_000, snapshot, reports = true } = options
    this.#feed = new RulesetFeed(
      parts,
      { stageRef, names, intervalMs },
      {
        onRuleset: (ruleset, changed) => this.#replace(ruleset, changed),
        onState: (problem) => this.#note(problem),
      },
    )
    if (reports) this.#reports = new Reports(connection, onWire(stageRef), () => this.#ruleset?.takeCounts() ?? [])
    if (snapshot) this.#saver = new SnapshotSaver(snapshot, () => this.#snapshotText(), { host, closing })
    closing.addEventListener('abort', () => this.#ending.abort(), { signal: this.#ending.signal })
  }

  get revision(): number {
    return this.#current().revision
  }

  get isStale(): boolean {
    return this.#problem !== undefined
  }

  get<N extends Name>(name: N, roll?: Roll): ValueOf<N> {
    return this.#current().get(name, this.#merged(roll)) as ValueOf<N>
  }

  inspect<N extends Name>(name: N, roll?: Roll): Inspection<ValueOf<N>> {
    const source = this.#problem ? 'stale' : 'local'
    return this.#current().inspect(name, this.#merged(roll), source) as Inspection<ValueOf<N>>
  }

  on<Event extends keyof LocalListeners>(event: Event, listener: LocalListeners[Event]): () => void {
    const listeners = this.#listeners[event]
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (!this.#ending.signal.aborted) await this.#reports?.flush()
    this.#ending.abort()
  }

  /** Throws the error of the service if there is no snapshot either. */
  async start(): Promise<void> {
    const { signal } = this.#ending
    const saved = await this.#load()
    if (saved) this.#resume(saved)
    const answered = new AbortController()
    const first = this.#feed.fetch().finally(() => answered.abort())
    if (saved) {
      const isLate = this.#connection.host.wait(maxStartMs, { signal: answered.signal })
      await Promise.race([first.catch(() => undefined), isLate])
    }
    // After a refusal, there is no ruleset, and its error is thrown.
    if (!this.#ruleset) await first
    if (this.#ruleset?.revision === 0) throw await stageNotFound(this.#connection, this.#stageRef)
    this.#feed.follow(signal)
    this.#reports?.start(signal)
  }

  /** Begins with a saved ruleset, which may be outdated. */
  #resume(saved: TaggedRuleset): void {
    this.#feed.resume(saved)
    this.#saved = saved
    this.#ruleset = new LocalRuleset(saved.answer)
    this.#problem = new RollkeyError('UNREACHABLE', `${this.#connection.url} has not answered yet.`)
    this.#confirmedAtMs = this.#connection.host.now()
  }

  #replace(tagged: TaggedRuleset, names: readonly string[] | undefined): void {
    const before = this.#ruleset
    const { answer } = tagged
    if (before) this.#reports?.keep(before.takeCounts())
    this.#saved = tagged
    this.#ruleset = new LocalRuleset(answer)
    this.#saver?.changed()
    if (before) this.#emit('change', { revision: answer.revision, ...(names && { names }) })
  }

  #note(problem: RollkeyError | undefined): void {
    const wasStale = this.isStale
    this.#problem = problem
    if (!problem) this.#confirmedAtMs = this.#connection.host.now()
    if (isRefusal(problem)) this.#drop()
    if (this.isStale !== wasStale) this.#emit('stale', this.isStale)
  }

  /** Forgets all values: the service refuses what it answered before. */
  #drop(): void {
    if (this.#ruleset) this.#reports?.keep(this.#ruleset.takeCounts())
    this.#ruleset = undefined
    this.#saved = undefined
    this.#saver?.changed()
  }

  #emit<Event extends keyof LocalListeners>(event: Event, value: Parameters<LocalListeners[Event]>[0]): void {
    // What a listener throws becomes an unhandled rejection, and ends nothing here.
    for (const listener of this.#listeners[event]) void Promise.resolve(value as never).then(listener)
  }

  /** Returns the ruleset. Throws CLOSED, the refusal of the service, or UNREACHABLE if the ruleset is too old. */
  #current(): LocalRuleset {
    if (this.#ending.signal.aborted) throw new RollkeyError('CLOSED', 'These decisions were closed. Call local again.')
    const ruleset = this.#ruleset
    if (!ruleset) throw this.#problem ?? new RollkeyError('CLOSED', 'There is no ruleset.')
    if (this.#problem && this.#options.maxStaleMs !== undefined) this.#assertNotTooOld(this.#options.maxStaleMs)
    return ruleset
  }

  #assertNotTooOld(maxStaleMs: number): void {
    if (Math.abs(this.#connection.host.now() - this.#confirmedAtMs) <= maxStaleMs) return
    const { message } = this.#problem as RollkeyError
    throw new RollkeyError(
      'UNREACHABLE',
      `The ruleset was not confirmed for more than maxStaleMs, ${maxStaleMs} ms: ${message}`,
      { cause: this.#problem },
    )
  }

  #merged(roll: Roll | undefined): Roll {
    if (this.#roll) return merged(this.#roll, roll)
    expectRoll(roll)
    return roll ?? noRoll
  }

  async #load(): Promise<TaggedRuleset | undefined> {
    try {
      const text = await this.#options.snapshot?.load()
      if (!text) return undefined
      const { id, ruleset } = JSON.parse(text) as SavedRuleset
      return id === this.#snapshotId() ? ruleset : undefined
    } catch {
      // A snapshot is optional: the service has the ruleset.
      return undefined
    }
  }

  #snapshotText(): string {
    return this.#saved ? JSON.stringify({ id: this.#snapshotId(), ruleset: this.#saved } satisfies SavedRuleset) : ''
  }

  /** Returns what a snapshot must be of: another stage, service or selection must not be used. */
  #snapshotId(): string {
    return JSON.stringify([1, this.#connection.url, onWire(this.#stageRef), this.#options.names?.toSorted() ?? null])
  }
}

interface SavedRuleset {
  readonly id: string
  readonly ruleset: TaggedRuleset
}
