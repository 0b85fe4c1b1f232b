/**
 * Checks whether a recorded history of one stage is linearizable (Herlihy and Wing 1990): whether all reads and writes could
 * have happened one after the other, each at some moment between its call and its answer.
 *
 * Every acknowledged write returns its revision, and every read the revision that it saw, so the order is given. The rest to
 * check: the order agrees with real time, a revision belongs to one write, and a read returns the value of its revision.
 * A write without an answer may have happened at any time after its call, or never.
 */
import { setImmediate as turn } from 'node:timers/promises'

export interface Operation {
  readonly kind: 'read' | 'write'
  readonly value: string
  /** Undefined for a write that was not acknowledged. */
  readonly revision: number | undefined
  readonly calledAt: number
  /** Infinity if it was never answered. */
  readonly answeredAt: number
}

type Known = Operation & { readonly revision: number }

/** Returns the violations as sentences, none if the history is linearizable. */
export function violationsOf(history: readonly Operation[]): string[] {
  const known = history.filter((operation): operation is Known => operation.revision !== undefined)
  return [...wrongValues(history, known), ...wrongOrder(known)]
}

function wrongValues(history: readonly Operation[], known: readonly Known[]): string[] {
  const violations: string[] = []
  const written = new Map<number, string>()
  for (const { kind, value, revision } of known) {
    if (kind === 'read') continue
    if (written.has(revision)) violations.push(`revision ${revision} belongs to two writes`)
    written.set(revision, value)
  }
  const calledAt = new Map(history.filter(({ kind }) => kind === 'write').map((write) => [write.value, write.calledAt]))
  const acknowledged = new Set(written.values())
  for (const read of known.filter(({ kind }) => kind === 'read')) {
    const { value, revision, answeredAt } = read
    const right = written.get(revision)
    if (right === undefined) {
      if (acknowledged.has(value)) violations.push(`revision ${revision} was read with the value of another revision`)
      written.set(revision, value)
    } else if (right !== value) violations.push(`revision ${revision} was read with a different value than was written`)
    if ((calledAt.get(value) ?? Infinity) > answeredAt) violations.push(`${value} was read before it was written`)
  }
  return violations
}

/** Finds operations that were called after an answer and yet come before it in the order. */
function wrongOrder(known: readonly Known[]): string[] {
  const violations: string[] = []
  const answered = known.toSorted((a, b) => a.answeredAt - b.answeredAt)
  let next = 0
  let latest = 0
  for (const { kind, revision, calledAt } of known.toSorted((a, b) => a.calledAt - b.calledAt)) {
    for (; next < answered.length && (answered[next] as Known).answeredAt < calledAt; next++) {
      latest = Math.max(latest, (answered[next] as Known).revision)
    }
    if (kind === 'read' ? revision < latest : revision <= latest) {
      violations.push(`a ${kind} of revision ${revision} was called after revision ${latest} was answered`)
    }
  }
  return violations
}

/** A stage as a register. Both methods throw if the outcome is unknown. */
export interface Register {
  write(value: string): Promise<number>
  read(): Promise<{ value: string; revision: number }>
}

export class Recorder {
  readonly history: Operation[] = []
  #values = 0
  /** Number of calls and answers so far: the time of the history, in which no two moments are equal. */
  #moment = 0

  async write(register: Register): Promise<void> {
    const value = `value ${++this.#values}`
    const calledAt = ++this.#moment
    const revision = await register.write(value).catch(() => undefined)
    const answeredAt = revision === undefined ? Infinity : ++this.#moment
    this.history.push({ kind: 'write', value, revision, calledAt, answeredAt })
  }

  async read(register: Register): Promise<void> {
    const calledAt = ++this.#moment
    const seen = await register.read().catch(() => undefined)
    if (seen) this.history.push({ kind: 'read', ...seen, calledAt, answeredAt: ++this.#moment })
  }
}

/**
 * Runs writers on the first `writing` registers, and two readers on each until the writers are done. Each reader reads
 * at least as often as each writer writes.
 */
export async function recorded(registers: readonly Register[], writing: number, writes: number): Promise<Operation[]> {
  const recorder = new Recorder()
  await recorder.write(registers[0] as Register)
  const still = { writing }
  const write = async (register: Register): Promise<void> => {
    for (let i = 0; i < writes; i++) await recorder.write(register)
    still.writing--
  }
  const read = async (register: Register): Promise<void> => {
    for (let reads = 0; still.writing > 0 || reads < writes; reads++) {
      await recorder.read(register)
      await turn()
    }
  }
  await Promise.all([...registers.slice(0, writing).map(write), ...registers.map(read), ...registers.map(read)])
  return recorder.history
}

/** Records a read of a register that has read before the write of another one, and reads again after it. */
export async function staleHistory(writing: Register, trusting: Register): Promise<Operation[]> {
  const recorder = new Recorder()
  await recorder.write(writing)
  await recorder.read(trusting)
  await recorder.write(writing)
  await recorder.read(trusting)
  return recorder.history
}
