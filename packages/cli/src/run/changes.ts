/** For `rollkey run --watch`: what the command should have in its environment next. */
import type { Client, Pulled } from '@rollkey/sdk'
import { failureOf } from '../frame/cli-error.ts'
import type { Variables } from '../formats/refuse.ts'
import { countChanges } from './environment.ts'

/** The questions are not metered. */
const everyMs = 2_000
/** After a pull that failed although it was tried several times. */
const againMs = 5_000

interface Parts {
  /** Of the stage, with the roll bound to it. */
  readonly client: Client
  /** What the command runs with. */
  readonly pulled: Pulled
  readonly environmentOf: (variables: Variables) => NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export class Changes {
  readonly #parts: Parts
  readonly #closing = new AbortController()
  #variables: Variables
  /** What #variables were seen at or after. */
  #revision: number
  /** The last that the service told of. */
  #told: number
  #wake = (): void => {}

  constructor(parts: Parts) {
    const { client, pulled } = parts
    this.#parts = parts
    this.#variables = pulled.variables
    this.#revision = this.#told = pulled.revision
    const { signal } = this.#closing
    client.watch((change) => this.#tell(change), { since: pulled.revision, intervalMs: everyMs, signal })
  }

  /** Resolves with the next environment that differs from what the command runs with, and says so. */
  async next(): Promise<NodeJS.ProcessEnv> {
    for (;;) {
      const variables = await this.#pulled()
      const count = countChanges(this.#variables, variables)
      if (count === 0) continue
      try {
        const environment = this.#parts.environmentOf(variables)
        this.#variables = variables
        this.#parts.warn(`restarting: ${count} ${count === 1 ? 'name' : 'names'} changed`)
        return environment
      } catch (error) {
        this.#keep(error)
      }
    }
  }

  /** Nothing is asked or told from now on. */
  close(): void {
    this.#closing.abort()
  }

  #tell({ revision }: { readonly revision: number }): void {
    this.#told = revision
    this.#wake()
  }

  /** The variables of another revision than before; waits for one. */
  async #pulled(): Promise<Variables> {
    const { client } = this.#parts
    const { signal } = this.#closing
    while (this.#told === this.#revision) await new Promise<void>((resolve) => (this.#wake = resolve))
    for (let isFirst = true; ; isFirst = false) {
      const told = this.#told
      try {
        const { variables, revision } = await client.pull()
        // If more was told meanwhile, the two still differ.
        if (this.#told === told) this.#told = revision
        this.#revision = revision
        return variables
      } catch (error) {
        signal.throwIfAborted()
        if (isFirst) this.#keep(error)
        await new Promise((resolve) => setTimeout(resolve, againMs).unref())
        signal.throwIfAborted()
      }
    }
  }

  #keep(error: unknown): void {
    this.#parts.warn(`${failureOf(error).line}; the command goes on with the values of before`)
  }
}
