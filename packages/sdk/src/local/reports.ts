/** Reports what was decided: every ten seconds, when the program ends, and after an outage, each decision once. */
import { limits } from '@rollkey/contract/rules'
import { newRequestKey, type Connection } from '../connection.ts'
import type { WireStageRef } from '../stage-ref.ts'
import type { ReportedDecisions } from './ruleset.ts'

/** Interval between two reports, in milliseconds. */
const intervalMs = 10_000
/** How long after its first attempt a report may be sent again: while the service remembers its key, with a margin. */
const maxRepeatMs = limits.reportKeyWindowMs / 2

/** A report that is sent under one key until the service has answered. */
interface Report {
  readonly requestKey: string
  readonly decisions: readonly ReportedDecisions[]
  readonly beganAtMs: number
}

type EndOfLoop = {
  on(event: 'beforeExit', listener: () => void): void
  off(event: 'beforeExit', listener: () => void): void
}
const { process: node } = globalThis as { process?: Partial<EndOfLoop> }
/** What is reported when Node has nothing left to do. One listener serves all: many would look like a leak. */
const unfinished = new Set<Reports>()

function reportBeforeExit(): void {
  for (const reports of unfinished) {
    // Node asks again after each request. What cannot be sent must not keep the process alive forever.
    void reports.flush().then((isSent) => isSent || unfinished.delete(reports))
  }
}

export class Reports {
  readonly #connection: Connection
  readonly #stage: WireStageRef
  readonly #take: () => readonly ReportedDecisions[]
  /** Counts of rulesets that were replaced. */
  #replaced: readonly ReportedDecisions[] = []
  #unanswered: Report | undefined
  #sending: Promise<boolean> | undefined

  /** `take` returns the decisions since its last call. */
  constructor(connection: Connection, stage: WireStageRef, take: () => readonly ReportedDecisions[]) {
    this.#connection = connection
    this.#stage = stage
    this.#take = take
  }

  /** Reports until the signal aborts. */
  start(signal: AbortSignal): void {
    if (unfinished.size === 0) node?.on?.('beforeExit', reportBeforeExit)
    unfinished.add(this)
    signal.addEventListener('abort', () => {
      unfinished.delete(this)
      if (unfinished.size === 0) node?.off?.('beforeExit', reportBeforeExit)
    })
    void this.#run(signal)
  }

  /** Keeps decisions of a ruleset that is replaced. */
  keep(decisions: readonly ReportedDecisions[]): void {
    if (decisions.length > 0) this.#replaced = merged([...this.#replaced, ...decisions])
  }

  /** Sends what was not reported yet. Returns whether nothing is left, which stays for the next report otherwise. Never throws. */
  async flush(): Promise<boolean> {
    // One report at a time, so that an outage leaves at most one whose fate is not known.
    await this.#sending
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { host } = this.#connection
    while (!signal.aborted) {
      await host.wait(intervalMs, { signal, idle: true })
      if (!signal.aborted) await this.flush()
    }
  }

  async #send(): Promise<boolean> {
    for (let report = this.#next(); report; report = this.#next()) {
      if (!(await this.#isAnswered(report))) return false
      this.#unanswered = undefined
    }
    return true
  }

  /** Returns the report that has no answer yet, otherwise a new one; undefined if nothing is left. */
  #next(): Report | undefined {
    const nowMs = this.#connection.host.now()
    // The service may have counted it, and does not know its key any more.
    if (this.#unanswered && Math.abs(nowMs - this.#unanswered.beganAtMs) > maxRepeatMs) this.#unanswered = undefined
    if (this.#unanswered) return this.#unanswered
    this.keep(this.#take())
    const rows = this.#replaced.flatMap(rowsOf)
    const decisions = rows.slice(0, limits.entries)
    this.#replaced = rows.slice(limits.entries)
    if (decisions.length === 0) return undefined
    this.#unanswered = { requestKey: newRequestKey(), decisions, beganAtMs: nowMs }
    return this.#unanswered
  }

  /** Sends a report once. Returns whether the service has answered: a refusal is an answer too. */
  async #isAnswered({ requestKey, decisions }: Report): Promise<boolean> {
    try {
      await this.#connection.call('report', { ...this.#stage, decisions }, { requestKey, isFinal: () => true })
      return true
    } catch (error) {
      return (error as { retry?: unknown }).retry === 'no' && (error as { code?: unknown }).code !== 'CLOSED'
    }
  }
}

/** Adds up equal decisions. */
function merged(all: readonly ReportedDecisions[]): ReportedDecisions[] {
  const sums = new Map<string, ReportedDecisions>()
  for (const { count, ...decision } of all) {
    const key = JSON.stringify(decision)
    sums.set(key, { ...decision, count: (sums.get(key)?.count ?? 0) + count })
  }
  return [...sums.values()]
}

/** Divides a count that is too large for one row, such as 17 minutes of a million decisions a second. */
function rowsOf({ count, ...decision }: ReportedDecisions): ReportedDecisions[] {
  const { reportedCount: max } = limits
  return Array.from({ length: Math.ceil(count / max) }, (_, at) => ({
    ...decision,
    count: Math.min(count - at * max, max),
  }))
}
