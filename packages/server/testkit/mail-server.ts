/** A real SMTP server that keeps what it receives, or fails on request. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  readonly to: string
  readonly messageId: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The link of the mail, by which a person goes on. */
  readonly link: string
  readonly raw: string
}

export class MailServer {
  readonly #server: SMTPServer
  readonly mails: ReceivedMail[] = []
  /** Status with which it refuses each recipient. */
  refusal: number | undefined
  /** Whether it takes the next mail and says that it did not. */
  breaksOff = false
  port = 0

  constructor(options: SMTPServerOptions = { disabledCommands: ['STARTTLS', 'AUTH'] }) {
    this.#server = new SMTPServer({
      authOptional: true,
      logger: false,
      ...options,
      onRcptTo: (_, __, done) => {
        if (this.refusal === undefined) return done()
        done(Object.assign(new Error('refused'), { responseCode: this.refusal }))
      },
      onData: (stream, session, done) => {
        void this.#take(session.envelope.rcptTo[0]?.address ?? '', stream, done)
      },
    })
    // A client that refuses the certificate, or gives up, breaks the connection.
    this.#server.on('error', () => undefined)
  }

  async #take(to: string, stream: Readable, done: (error?: Error) => void): Promise<void> {
    this.mails.push(mailOf(to, await text(stream)))
    const { breaksOff } = this
    this.breaksOff = false
    done(breaksOff ? Object.assign(new Error('again'), { responseCode: 421 }) : undefined)
  }

  async start(): Promise<void> {
    const server = this.#server.listen(this.port, '127.0.0.1')
    await once(server, 'listening')
    this.port = (server.address() as AddressInfo).port
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }

  /** The settings of a service that sends to it. */
  get settings(): Record<string, string> {
    return { SMTP_URL: `smtp://127.0.0.1:${this.port}?tls=no`, MAIL_FROM: 'Rollkey <rollkey@example.com>' }
  }

  to(email: string): ReceivedMail[] {
    return this.mails.filter(({ to }) => to === email)
  }
}

function mailOf(to: string, raw: string): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n\s+/g, ' ')
  const headerOf = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? ''
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? ''
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`)
  const partOf = (type: string): string => {
    const [about = '', ...body] = (parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? '').split('\r\n\r\n')
    const content = body.join('\r\n\r\n').replaceAll('\r\n', '\n')
    return about.includes('quoted-printable') ? fromQuotedPrintable(content) : content
  }
  const plain = partOf('text/plain')
  return {
    to,
    messageId: headerOf('message-id'),
    subject: headerOf('subject'),
    text: plain,
    html: partOf('text/html'),
    link: /^https?:\S+$/m.exec(plain)?.[0] ?? '',
    raw,
  }
}

function fromQuotedPrintable(content: string): string {
  const bytes = content
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
