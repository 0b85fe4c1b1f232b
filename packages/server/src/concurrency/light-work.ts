/** The light work of the process, such as evaluations, beside which heavy work rests. There is one event loop, so there is one. */

/** How long after its end light work counts as going on. */
const recentMs = 500
/** How long light work that has begun is waited for at most: one whose body drips in delays nothing. */
const soonMs = 50
/** Share of the time from which the event loop is busy. */
const busyShare = 0.5

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

/** When requests of any kind ended. */
export class RequestEnds {
  #lastAt = -Infinity

  note(): void {
    this.#lastAt = performance.now()
  }

  /** Whether one ended a moment ago. */
  get isRecent(): boolean {
    return performance.now() - this.#lastAt < recentMs
  }
}

/** Those of the process. */
export const requestEnds = new RequestEnds()

/** The load of requests of any kind, beside which work rests that no one waits for. */
export class RequestLoad {
  readonly #ends: RequestEnds
  #before = performance.eventLoopUtilization()
  #isBusy = false

  /** @param ends @default those of the process */
  constructor(ends = requestEnds) {
    this.#ends = ends
  }

  /** Measures how busy the event loop was since the last time. */
  measure(): void {
    const now = performance.eventLoopUtilization()
    this.#isBusy = performance.eventLoopUtilization(now, this.#before).utilization > busyShare
    this.#before = now
  }

  /** Whether the event loop was busy and there was a request a moment ago. */
  get isRecent(): boolean {
    return this.#isBusy && this.#ends.isRecent
  }
}
