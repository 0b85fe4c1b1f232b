/** Combines the evaluations of one turn of the event loop into one request, which is one billing event. */
import { isRandom, limits } from '@rollkey/contract/rules'
import type { Connection } from './connection.ts'
import { RollkeyError, type RollkeyErrorCode } from './errors.ts'
import type { Evaluated } from './inspection.ts'
import { onWire } from './stage-ref.ts'
import type { StageRef, Roll } from './types.ts'

interface BatchEntry extends Roll {
  readonly name: string
}

/** One entry of a batch. Callers that ask for the same entry share it. */
class Question {
  readonly wanted: BatchEntry
  readonly answer: Promise<Evaluated>
  resolve!: (evaluated: Evaluated) => void
  reject!: (error: unknown) => void

  constructor(wanted: BatchEntry) {
    this.wanted = wanted
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/** Questions by name, seed and key. A random roll has a key that no other question has. */
type Queue = Map<string | symbol, Question>

/** Codes with which a single entry can fail its whole batch. */
const codesOfOneEntry: ReadonlySet<RollkeyErrorCode> = new Set([
  'VARIABLE_NOT_FOUND',
  'INVALID_REQUEST',
  'EVALUATION_FAILED',
  'PAYLOAD_TOO_LARGE',
])

function isOfOneEntry(error: unknown): boolean {
  return error instanceof RollkeyError && codesOfOneEntry.has(error.code)
}

export class Batches {
  readonly #connection: Connection
  /** Questions by stage, waiting for the end of this turn. */
  readonly #queues = new Map<string, Queue>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Evaluates a variable with the next batch. Throws RollkeyError. */
  evaluate(place: StageRef, name: string, roll: Roll): Promise<Evaluated> {
    const queue = this.#queueOf(place)
    // Each caller gets its own random roll.
    const key = isRandom(roll) ? Symbol(name) : JSON.stringify([name, roll.seed, roll.key])
    const question = queue.get(key) ?? new Question({ name, ...roll })
    queue.set(key, question)
    return question.answer
  }

  #queueOf(place: StageRef): Queue {
    const key = JSON.stringify(onWire(place))
    const open = this.#queues.get(key)
    if (open) return open
    const queue: Queue = new Map()
    this.#queues.set(key, queue)
    this.#connection.host.soon(() => {
      this.#queues.delete(key)
      const questions = [...queue.values()]
      for (let i = 0; i < questions.length; i += limits.entries)
        void this.#ask(place, questions.slice(i, i + limits.entries))
    })
    return queue
  }

  /**
   * Settles all questions and never throws. If one entry fails its batch, asks again with each half, until only that entry
   * fails.
   */
  async #ask(place: StageRef, questions: readonly Question[]): Promise<void> {
    try {
      const results = await this.#evaluate(place, questions)
      for (const [index, question] of questions.entries()) question.resolve(results[index] as Evaluated)
    } catch (error) {
      if (questions.length > 1 && isOfOneEntry(error)) {
        const half = Math.ceil(questions.length / 2)
        await Promise.all([this.#ask(place, questions.slice(0, half)), this.#ask(place, questions.slice(half))])
      } else {
        for (const question of questions) question.reject(error)
      }
    }
  }

  async #evaluate(place: StageRef, questions: readonly Question[]): Promise<readonly Evaluated[]> {
    const entries = questions.map(({ wanted }) => wanted)
    const [first, ...more] = entries
    if (first && more.length === 0) return [await this.#connection.call('evaluate', { ...onWire(place), ...first })]
    const request = { ...onWire(place), entries }
    const { results } = await this.#connection.call('evaluateBatch', request, { isFinal: isOfOneEntry })
    if (results.length === entries.length) return results
    throw new RollkeyError(
      'INVALID_ANSWER',
      `${this.#connection.url} did not return one result for each entry of a batch.`,
    )
  }
}
