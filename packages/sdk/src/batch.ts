/** Combines the evaluations of one turn of the event loop into one request, which is one billing event. */
import { isRandom, limits } from '@rollkey/contract/rules'
import type { Connection } from './connection.ts'
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import type { EvaluatedVariable } from './wire.ts'
import { nearest } from './nearest.ts'
import { onWire, quoted } from './stage-ref.ts'
import type { AskedRoll } from './roll.ts'
import type { StageRef } from './types.ts'

interface BatchEntry extends AskedRoll {
  readonly name: string
}

/** One entry of a batch. Callers that ask for the same entry share it. */
class PendingEntry {
  readonly entry: BatchEntry
  readonly result: Promise<EvaluatedVariable>
  resolve!: (evaluated: EvaluatedVariable) => void
  reject!: (error: unknown) => void

  constructor(entry: BatchEntry) {
    this.entry = entry
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/**
 * Returns an error of the service with the names that the caller should check: it does not say which of them is wrong. `known`: the names
 * that the client knows of the stage without a request. The error of a test service already says what a test should do.
 */
function located(error: unknown, { project, stage }: StageRef, name: string, known: readonly string[]): unknown {
  if (!(error instanceof RollkeyError) || error.code !== 'VARIABLE_NOT_FOUND') return error
  if (error.message.includes('createTestService')) return error
  const { status, requestId, code } = error
  const near = known.includes(name) ? [] : nearest(name, known)
  const advice =
    near.length > 0
      ? `Did you mean ${quoted(near)}?`
      : `Compare with rollkey list --project ${project} --stage ${stage}.`
  const what = `The stage ${project}/${stage} has no variable ${JSON.stringify(name)} that the token may read. ${advice}`
  return new RollkeyError(code, what, { status, requestId, cause: error.cause })
}

/** Pending entries by name and roll. A random roll has a key that no other entry has. */
type Queue = Map<string | symbol, PendingEntry>

/** Codes with which a single entry can fail its whole batch. */
const singleEntryCodes: ReadonlySet<RollkeyErrorCode> = new Set([
  'VARIABLE_NOT_FOUND',
  'INVALID_REQUEST',
  'EVALUATION_FAILED',
  'PAYLOAD_TOO_LARGE',
])

function concernsOneEntry(error: unknown): boolean {
  return error instanceof RollkeyError && singleEntryCodes.has(error.code)
}

export class Batches {
  readonly #connection: Connection
  readonly #knownNames: (stageRef: StageRef) => readonly string[]
  /** Pending entries by stage. They are sent at the end of this turn. */
  readonly #queues = new Map<string, Queue>()

  /** `knownNames` returns the names that the client knows of a stage. */
  constructor(connection: Connection, knownNames: (stageRef: StageRef) => readonly string[]) {
    this.#connection = connection
    this.#knownNames = knownNames
  }

  /** Evaluates a variable with the next batch. Throws RollkeyError. */
  evaluate(stageRef: StageRef, name: string, roll: AskedRoll): Promise<EvaluatedVariable> {
    const queue = this.#queueOf(stageRef)
    // Each caller gets its own random roll.
    const key = isRandom(roll) ? Symbol(name) : JSON.stringify([name, roll.seed, roll.key, roll.context, roll.explain])
    const pendingEntry = queue.get(key) ?? new PendingEntry({ name, ...roll })
    queue.set(key, pendingEntry)
    return pendingEntry.result
  }

  #queueOf(stageRef: StageRef): Queue {
    const key = JSON.stringify(onWire(stageRef))
    const open = this.#queues.get(key)
    if (open) return open
    const queue: Queue = new Map()
    this.#queues.set(key, queue)
    this.#connection.host.afterTurn(() => {
      this.#queues.delete(key)
      const pending = [...queue.values()]
      for (let i = 0; i < pending.length; i += limits.entries)
        void this.#settle(stageRef, pending.slice(i, i + limits.entries))
    })
    return queue
  }

  /**
   * Settles all entries and never throws. If one entry fails its batch, sends each half again, until only that entry fails.
   */
  async #settle(stageRef: StageRef, pending: readonly PendingEntry[]): Promise<void> {
    try {
      const results = await this.#evaluate(stageRef, pending)
      for (const [index, pendingEntry] of pending.entries()) pendingEntry.resolve(results[index] as EvaluatedVariable)
    } catch (error) {
      if (pending.length > 1 && concernsOneEntry(error)) {
        const half = Math.ceil(pending.length / 2)
        await Promise.all([this.#settle(stageRef, pending.slice(0, half)), this.#settle(stageRef, pending.slice(half))])
      } else {
        const known = this.#knownNames(stageRef)
        for (const { entry, reject } of pending) reject(located(error, stageRef, entry.name, known))
      }
    }
  }

  async #evaluate(stageRef: StageRef, pending: readonly PendingEntry[]): Promise<readonly EvaluatedVariable[]> {
    const entries = pending.map(({ entry: wanted }) => wanted)
    const [first, ...more] = entries
    if (first && more.length === 0) return [await this.#connection.call('evaluate', { ...onWire(stageRef), ...first })]
    const request = { ...onWire(stageRef), entries }
    const { results } = await this.#connection.call('evaluateBatch', request, { isFinal: concernsOneEntry })
    if (results.length === entries.length) return results
    throw new RollkeyError(
      'INVALID_ANSWER',
      `${this.#connection.url} did not return one result for each entry of a batch.`,
    )
  }
}
