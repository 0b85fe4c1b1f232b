/** Provides the next environment of the command for `rollkey run --watch`. */
import type { Client, PullResult } from '@rollkey/sdk'
import { failureOf } from '../frame/cli-error.ts'
import type { Variables } from '../formats/refuse.ts'
import { countChanges } from './environment.ts'

/** Interval of the watch while there is no stream, in milliseconds. Its requests are not metered. */
const intervalMs = 5_000
/** How long to wait after a pull that failed despite its retries, in milliseconds. */
const retryMs = 5_000

interface Parts {
  /** Client of the stage, with the roll bound to it. */
  readonly client: Client
  /** Variables that the command runs with. */
  readonly pulled: PullResult
  readonly environmentOf: (variables: Variables) => NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export class Changes {
  readonly #parts: Parts
  readonly #closing = new AbortController()
  #variables: Variables
  /** The revision at or after which `#variables` were read. */
  #revision: number
  /** The last revision that the watch reported. */
  #reported: number
  #wake = (): void => {}

  constructor(parts: Parts) {
    const { client, pulled } = parts
    this.#parts = parts
    this.#variables = pulled.variables
    this.#revision = this.#reported = pulled.revision
    const { signal } = this.#closing
    client.watch((change) => this.#report(change), { since: pulled.revision, intervalMs, signal })
  }

  /** Resolves with the next environment that differs from that of the command, and announces the restart. */
  async next(): Promise<NodeJS.ProcessEnv> {
    for (;;) {
      const variables = await this.#nextVariables()
      const count = countChanges(this.#variables, variables)
      if (count === 0) continue
      try {
        const environment = this.#parts.environmentOf(variables)
        this.#variables = variables
        this.#parts.warn(`Restarting: ${count} ${count === 1 ? 'variable' : 'variables'} changed`)
        return environment
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
    const { client } = this.#parts
    const { signal } = this.#closing
    while (this.#reported === this.#revision) await new Promise<void>((resolve) => (this.#wake = resolve))
    for (let isFirst = true; ; isFirst = false) {
      const reported = this.#reported
      try {
        const { variables, revision } = await client.pull()
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
    this.#parts.warn(`${failureOf(error).line}; the command keeps its current values`)
  }
}
