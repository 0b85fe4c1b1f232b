/** Provides what follows from the next values, for the option `--watch` of `run` and `render`. */
import type { Client, PullResult } from '@rollkey/sdk'
import { failureOf } from '../frame/cli-error.ts'
import { countText } from '../frame/words.ts'
import type { Variables } from '../formats/refuse.ts'
import { countChanges } from './environment.ts'

/** Interval of the watch while there is no stream, in milliseconds. Its requests are not metered. */
const intervalMs = 5_000
/** How long to wait after a pull that failed despite its retries, in milliseconds. */
const retryMs = 5_000

interface Parts<Result> {
  /** Client of the stage, which watches. If it cannot be created, a line says so. */
  readonly client: Client | Promise<Client>
  /** Reads the values. */
  readonly values: { pull(): Promise<PullResult> }
  /** Variables that are in use. */
  readonly pulled: PullResult
  /** Returns what follows from variables, such as an environment. */
  readonly apply: (variables: Variables) => Result | Promise<Result>
  readonly warn: (text: string) => void
  /** What happens with changed variables, as the beginning of a sentence. @default Restarting */
  readonly action?: string
  /** What has the values after a failure. @default the command */
  readonly user?: string
}

export class Changes<Result> {
  readonly #parts: Parts<Result>
  readonly #closing = new AbortController()
  #variables: Variables
  /** The revision at or after which `#variables` were read. */
  #revision: number
  /** The last revision that the watch reported. */
  #reported: number
  #wake = (): void => {}

  constructor(parts: Parts<Result>) {
    const { pulled } = parts
    this.#parts = parts
    this.#variables = pulled.variables
    this.#revision = this.#reported = pulled.revision
    void this.#watch(pulled.revision)
  }

  async #watch(since: number): Promise<void> {
    const { client, warn } = this.#parts
    const { signal } = this.#closing
    try {
      const watching = await client
      watching.watch((change) => this.#report(change), { since, intervalMs, signal })
    } catch (error) {
      if (!signal.aborted) warn(`${failureOf(error).line}; changes are not watched`)
    }
  }

  /** Resolves with what follows from the next variables that differ from those in use, and announces it. */
  async next(): Promise<Result> {
    const { apply, warn, action = 'Restarting' } = this.#parts
    for (;;) {
      const variables = await this.#nextVariables()
      const count = countChanges(this.#variables, variables)
      if (count === 0) continue
      try {
        const result = await apply(variables)
        this.#variables = variables
        warn(`${action}: ${countText(count)} changed`)
        return result
      } catch (error) {
        this.#warnKept(error)
      }
    }
  }

  /** Ends the watch. */
  close(): void {
    this.#closing.abort()
  }

  #report({ revision }: { readonly revision: number }): void {
    this.#reported = revision
    this.#wake()
  }

  /** Waits for another revision and returns its variables. */
  async #nextVariables(): Promise<Variables> {
    const { values } = this.#parts
    const { signal } = this.#closing
    while (this.#reported === this.#revision) await new Promise<void>((resolve) => (this.#wake = resolve))
    for (let isFirst = true; ; isFirst = false) {
      const reported = this.#reported
      try {
        const { variables, revision } = await values.pull()
        // If the watch has reported another revision since, the two still differ.
        if (this.#reported === reported) this.#reported = revision
        this.#revision = revision
        return variables
      } catch (error) {
        signal.throwIfAborted()
        if (isFirst) this.#warnKept(error)
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
        signal.throwIfAborted()
      }
    }
  }

  #warnKept(error: unknown): void {
    const { warn, user = 'the command' } = this.#parts
    warn(`${failureOf(error).line}; ${user} keeps its current values`)
  }
}
