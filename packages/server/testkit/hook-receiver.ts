/** A receiver of webhooks, which checks signatures as receivers do. */
import { Webhook } from 'standardwebhooks'
import type { Clock } from '../src/base/clock.ts'
import { FakeServer, type FakeServerRequest, type Reply } from './fake-server.ts'

export interface ReceivedEvent {
  readonly id: string
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events of any shape
  readonly data: any
}

/** How old a message may be. */
const toleranceMs = 5 * 60_000

export class HookReceiver extends FakeServer {
  readonly clock: Clock
  /** Verifies messages with the secret of Standard Webhooks. Undefined: it takes any JSON. */
  secret: string | undefined
  /** What it accepted, in order, repeated messages too. */
  readonly accepted: ReceivedEvent[] = []

  constructor(clock: Clock) {
    super()
    this.clock = clock
  }

  protected take({ headers, body }: FakeServerRequest): Reply {
    const id = String(headers['webhook-id'])
    if (this.secret !== undefined) {
      const atMs = Number(headers['webhook-timestamp']) * 1_000
      const signature = new Webhook(this.secret).sign(id, new Date(atMs), body)
      const isRecent = Math.abs(this.clock.now() - atMs) < toleranceMs
      if (!isRecent || !String(headers['webhook-signature']).split(' ').includes(signature)) return { status: 401 }
    }
    this.accepted.push({ id, ...(JSON.parse(body) as Omit<ReceivedEvent, 'id'>) })
    return { status: 200 }
  }

  /** The types of what it accepted. A message that came twice, as after a clock that jumped while it was sent, counts once. */
  get types(): string[] {
    return [...new Map(this.accepted.map(({ id, type }) => [id, type])).values()]
  }
}
