/** The light work of the process, such as evaluations, beside which heavy work rests. There is one event loop, so there is one. */

/** How long after its end light work counts as going on. */
const recentMs = 500
/** How long light work that has begun is waited for at most: one whose body drips in delays nothing. */
const soonMs = 50
/** Share of the time from which the event loop is busy. */
const busyShare = 0.5
/** Number of requests under way from which some wait for others. */
const manyUnderWay = 8

export class LightWork {
  #underWay = 0
  #beganAt = -Infinity
  #endedAt = -Infinity

  begin(): void {
    this.#underWay++
    this.#beganAt = performance.now()
  }

  end(): void {
    this.#underWay--
    this.#endedAt = performance.now()
  }

  /** Ends what was not light. */
  cancel(): void {
    this.#underWay--
  }

  /** Whether some will end soon. */
  get isUnderWay(): boolean {
    return this.#underWay > 0 && performance.now() - this.#beganAt < soonMs
  }

  /** Whether there was some a moment ago. */
  get isRecent(): boolean {
    return performance.now() - this.#endedAt < recentMs
  }
}

export const lightWork = new LightWork()

/** Requests of any kind. */
export class Requests {
  #underWay = 0
  #endedAt = -Infinity

  begin(): void {
    this.#underWay++
  }

  end(): void {
    this.#underWay--
    this.#endedAt = performance.now()
  }

  get underWay(): number {
    return this.#underWay
  }

  /** Whether one ended a moment ago. */
  get isRecent(): boolean {
    return performance.now() - this.#endedAt < recentMs
  }
}

/** Those of the process. */
export const requests = new Requests()

/** The load of requests of any kind, beside which work rests that no one waits for. */
export class RequestLoad {
  readonly #requests: Requests
  #before = performance.eventLoopUtilization()
  #isBusy = false

  /** @param all @default those of the process */
  constructor(all = requests) {
    this.#requests = all
  }

  /** Measures how busy the event loop was since the last time, and whether requests wait, as for a database that is busy. */
  measure(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#before)
    this.#isBusy = utilization > busyShare || this.#requests.underWay >= manyUnderWay
    this.#before = now
  }

  /** Whether it was high a moment ago. */
  get isRecent(): boolean {
    return this.#isBusy && this.#requests.isRecent
  }
}
