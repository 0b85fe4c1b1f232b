/** Sends the audit stream by HTTPS: as lines of JSON, or as events of Splunk's HTTP Event Collector. */
import type { StreamFormat, StreamTarget } from './stream-url.ts'
import { codeOf, type StreamMessage, type StreamReceiver } from './receiver.ts'

interface HttpReceiverParts {
  readonly target: Extract<StreamTarget, { kind: 'http' }>
  readonly token: string | undefined
  readonly format: StreamFormat
}

export class HttpReceiver implements StreamReceiver {
  readonly #parts: HttpReceiverParts

  constructor(parts: HttpReceiverParts) {
    this.#parts = parts
  }

  async send(messages: readonly StreamMessage[], signal: AbortSignal): Promise<string | undefined> {
    const { target, token } = this.#parts
    try {
      const answer = await fetch(target.url, {
        method: 'POST',
        redirect: 'manual',
        signal,
        headers: {
          'content-type': this.#contentType,
          ...(token !== undefined && { authorization: `${target.isSplunk ? 'Splunk' : 'Bearer'} ${token}` }),
        },
        body: messages.map((message) => this.#lineOf(message)).join(''),
      })
      // The head is sufficient, and the body may never end.
      answer.body?.cancel().catch(() => undefined)
      return answer.ok ? undefined : `status ${answer.status}`
    } catch (error) {
      return codeOf(error)
    }
  }

  get #contentType(): string {
    if (this.#parts.target.isSplunk) return 'application/json'
    return this.#parts.format === 'json' ? 'application/x-ndjson' : 'text/plain; charset=utf-8'
  }

  #lineOf({ text, atMs }: StreamMessage): string {
    const { target, format } = this.#parts
    if (!target.isSplunk) return `${text}\n`
    const sourcetype = format === 'json' ? 'rollkey:audit' : 'cef'
    // The text of an event is already JSON, which Splunk keeps as it was sent.
    const event = format === 'json' ? text : JSON.stringify(text)
    return `{"time":${(atMs / 1_000).toFixed(3)},"source":"rollkey","sourcetype":"${sourcetype}","event":${event}}\n`
  }
}
