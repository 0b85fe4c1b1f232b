/** Sends one message to an SMTP server, over a connection for itself. The library is loaded with the first message. */
import type SmtpConnection from 'nodemailer/lib/smtp-connection'
import { reasonOf } from '../../base/log.ts'
import type { SmtpServer } from './smtp-url.ts'

/** How long a message may take, however slowly the server answers. */
const defaultTimeoutMs = 30_000

export interface Message {
  /** The same at each attempt. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Why a message was not accepted. */
export interface Refusal {
  /** Short, without addresses and passwords. */
  readonly failure: string
  /** What it says about: this message, or the server and so all messages. */
  readonly of: 'message' | 'server'
  /** Whether the server would refuse it again. */
  readonly isFinal: boolean
}

interface SmtpOptions {
  readonly server: SmtpServer
  readonly from: string
  readonly timeoutMs?: number
  /** Certificates of authorities that are trusted instead of the usual ones. */
  readonly ca?: string
}

/** An error of the library. Its message may quote the server, or an address. */
interface SmtpError {
  readonly code?: string
  readonly originalCode?: string
  readonly responseCode?: number
  readonly command?: string
}

export class Smtp {
  readonly #options: SmtpOptions

  constructor(options: SmtpOptions) {
    this.#options = options
  }

  /** Sends a message. Returns undefined if the server accepted it. Never throws. */
  send(message: Message, signal: AbortSignal): Promise<Refusal | undefined> {
    return this.#connected(signal, async (connection) => {
      const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
      const { id, to, subject, text, html } = message
      const mail = new MailComposer({
        from: this.#options.from,
        to: { name: '', address: to },
        messageId: `<${id}>`,
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated' },
        encoding: 'quoted-printable',
        disableFileAccess: true,
        disableUrlAccess: true,
      }).compile()
      const envelope = mail.getEnvelope()
      const raw = await mail.build()
      await called((done) => connection.send({ from: envelope.from || '', to: [to] }, raw, done))
    })
  }

  /** Connects and logs in, and sends nothing. Returns undefined if the server accepted that. Never throws. */
  check(signal: AbortSignal): Promise<Refusal | undefined> {
    return this.#connected(signal, async () => undefined)
  }

  async #connected(signal: AbortSignal, work: (connection: Connection) => Promise<void>): Promise<Refusal | undefined> {
    const { timeoutMs = defaultTimeoutMs } = this.#options
    const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const connection = await this.#open()
    const { promise: broken, reject } = Promise.withResolvers<never>()
    connection.on('error', reject)
    connection.once('end', () => reject(new Error('the server closed the connection')))
    ended.addEventListener('abort', () => reject(ended.reason as Error), { once: true })
    const { login } = this.#options.server
    const session = async (): Promise<void> => {
      await called((done) => connection.connect(done))
      if (login) await called((done) => connection.login({ credentials: login }, done))
      await work(connection)
    }
    try {
      await Promise.race([session(), broken])
      ended.addEventListener('abort', () => connection.close(), { once: true })
      connection.quit()
      return undefined
    } catch (error) {
      connection.close()
      if (!ended.aborted) return refusalOf(error as SmtpError)
      return { failure: `no answer within ${timeoutMs / 1_000} seconds`, of: 'server', isFinal: false }
    } finally {
      broken.catch(() => undefined)
    }
  }

  async #open(): Promise<Connection> {
    const { server, ca } = this.#options
    const { default: Loaded } = await import('nodemailer/lib/smtp-connection')
    return new Loaded({
      host: server.host,
      port: server.port,
      secure: server.tls === 'at once',
      requireTLS: server.tls === 'starttls',
      ignoreTLS: server.tls === 'none',
      socketCloseTimeout: 0,
      logger: false,
      tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
    })
  }
}

type Connection = InstanceType<typeof SmtpConnection>

/** Returns when a function with a callback is done. Rejects with its error. */
function called(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  start((error) => (error ? reject(error) : resolve()))
  return promise
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/

function refusalOf(error: SmtpError): Refusal {
  const { code = reasonOf(error), originalCode, responseCode, command } = error
  const cause = originalCode ?? code
  if (certificateCodes.test(cause))
    return {
      failure: `the certificate of the server was refused (${cause}): use the name in its certificate in ROLLKEY_SMTP_URL, and name the file of its authority in NODE_EXTRA_CA_CERTS if that is your own`,
      of: 'server',
      isFinal: false,
    }
  const failure = responseCode === undefined ? cause : `${cause}, status ${responseCode}`
  // The server refuses the recipient or the content, and nothing else.
  const isOfMessage = (code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE'
  return { failure, of: isOfMessage ? 'message' : 'server', isFinal: isOfMessage && (responseCode ?? 0) >= 500 }
}
