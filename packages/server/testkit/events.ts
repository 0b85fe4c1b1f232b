/**
 * A reader of server-sent events, which checks each answer and event against openapi.json. Like the web application, it uses fetch, because
 * the request needs a bearer token.
 */
import { errors, type ErrorCode } from '@rollkey/contract'
import { afterAll, beforeAll, vi } from 'vitest'
import { assertPublished, type OperationName } from './published.ts'

export interface ServerEvent {
  /** Undefined: an id alone, or a comment. */
  readonly event: string | undefined
  readonly id: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of any shape
  readonly data: any
}

function parse(block: string): ServerEvent {
  const fields = new Map(
    block.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.slice(line.indexOf(':') + 1)]),
  )
  const data = fields.get('data')
  return { event: fields.get('event')?.trim(), id: fields.get('id')?.trim(), data: data && JSON.parse(data) }
}

export class EventReader {
  readonly response: Response
  /** All received text, unchanged. */
  text = ''
  readonly #operation: OperationName
  readonly #abort: AbortController
  readonly #blocks: AsyncGenerator<string, void>

  private constructor(operation: OperationName, response: Response, abort: AbortController) {
    this.response = response
    this.#operation = operation
    this.#abort = abort
    this.#blocks = this.#read()
  }

  /** `query` without the path. */
  static async open(
    url: string,
    query: object,
    token: string,
    headers: Record<string, string> = {},
  ): Promise<EventReader> {
    const params = new URLSearchParams({ ...query })
    return EventReader.at(`${url}/v1/events?${params.toString()}`, { authorization: `Bearer ${token}`, ...headers })
  }

  /** Opens the stream at a URL. */
  static async at(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController()
    const operation = new URL(url).pathname === '/v1/events' ? 'events' : 'ofrepEvents'
    const response = await fetch(url, { headers, signal: abort.signal })
    if (response.status !== 200) assertPublished(operation, response.status, await response.clone().text())
    return new EventReader(operation, response, abort)
  }

  async *#read(): AsyncGenerator<string, void> {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of this.response.body ?? []) {
      const text = decoder.decode(chunk, { stream: true })
      this.text += text
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      yield* blocks
    }
  }

  /** Returns the next event or comment; undefined at the end of the stream. */
  async next(): Promise<ServerEvent | undefined> {
    const { value, done } = await this.#blocks.next()
    if (done) return undefined
    const event = parse(value)
    // The last event has the error that ends the stream.
    const data = JSON.stringify(event.data)
    if (event.event === 'end') assertPublished(this.#operation, errors[event.data.error.code as ErrorCode].status, data)
    else if (event.event) assertPublished(this.#operation, 200, data, 'text/event-stream')
    return event
  }

  /** Returns the next event that has a name, unlike a heartbeat or an id alone; undefined at the end of the stream. */
  async nextNamed(): Promise<ServerEvent | undefined> {
    const next = await this.next()
    return next && next.event === undefined ? this.nextNamed() : next
  }

  close(): void {
    this.#abort.abort()
  }
}

/** Intervals of the service that tests change: polls come 20 times a second instead of once, and sweeps do not come. */
const otherIntervalsMs = new Map([
  [1_000, 50],
  [60_000, 2 ** 31 - 1],
])

/** Makes services that start during the tests of the file poll frequently for new revisions. */
export function useFrequentPolls(): void {
  const { setInterval: original } = globalThis
  const faster: typeof setInterval = (work: () => void, ms = 0) => original(work, otherIntervalsMs.get(ms) ?? ms)
  beforeAll(() => void vi.spyOn(globalThis, 'setInterval').mockImplementation(faster))
  afterAll(() => vi.mocked(setInterval).mockRestore())
}
