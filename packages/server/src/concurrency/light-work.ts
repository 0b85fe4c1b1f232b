/** The light work of the process, such as evaluations, beside which heavy work rests. There is one event loop, so there is one. */

/** How long after its end light work counts as going on. */
const recentMs = 500
/** How long light work that has begun is waited for at most: one whose body drips in delays nothing. */
const soonMs = 50

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
