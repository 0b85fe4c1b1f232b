/**
 * Sends the audit stream to a syslog server: messages of RFC 5424 with octet counting (RFC 6587, section 3.4.1) by TCP, or by TLS
 * (RFC 5425). The protocol has no acknowledgement, so each batch has a connection: a server that closes it, without an error, after the
 * service has ended its side has read everything.
 */
import net from 'node:net'
import tls from 'node:tls'
import { codeOf, type StreamMessage, type StreamReceiver } from './receiver.ts'

/** Facility "log audit" with the severities "informational" and "warning" (RFC 5424, section 6.2.1). */
const [informational, warning] = [13 * 8 + 6, 13 * 8 + 4]

interface SyslogReceiverParts {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  /** Name of the service in its messages. */
  readonly hostname: string
  readonly version: string
  /** Certificates of authorities that are trusted besides the usual ones. */
  readonly ca?: string
}

export class SyslogReceiver implements StreamReceiver {
  readonly #parts: SyslogReceiverParts

  constructor(parts: SyslogReceiverParts) {
    this.#parts = parts
  }

  async send(messages: readonly StreamMessage[], signal: AbortSignal): Promise<string | undefined> {
    const bytes = Buffer.concat(messages.map((message) => this.#frameOf(message)))
    const socket = this.#connect()
    const abort = (): void => void socket.destroy(signal.reason as Error)
    signal.addEventListener('abort', abort)
    try {
      if (signal.aborted) throw signal.reason
      await exchange(socket, this.#parts.isTls ? 'secureConnect' : 'connect', bytes)
      return undefined
    } catch (error) {
      return codeOf(error)
    } finally {
      signal.removeEventListener('abort', abort)
      socket.destroy()
    }
  }

  #connect(): net.Socket {
    const { host, port, isTls, ca } = this.#parts
    // Without it, a server that closes first would look as if it had read everything.
    const options = { host, port, allowHalfOpen: true }
    if (!isTls) return net.connect(options)
    const authorities = ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), ca] }
    return tls.connect({ ...options, ...authorities, ...(net.isIP(host) === 0 && { servername: host }) })
  }

  #frameOf({ orgId, organization, seq, atMs, type, isFailure, text }: StreamMessage): Buffer {
    const { hostname, version } = this.#parts
    const data = [
      `[origin software="Rollkey" swVersion="${escaped(version)}"]`,
      // The number of RFC 5612, for all who have none.
      `[rollkey@32473 organization="${escaped(organization)}" orgId="${escaped(orgId)}" seq="${seq}"]`,
    ]
    const priority = isFailure ? warning : informational
    const time = new Date(atMs).toISOString()
    const head = `<${priority}>1 ${time} ${printable(hostname, 255)} rollkey - ${printable(type, 32)} ${data.join('')}`
    const message = Buffer.from(`${head} ${text}`)
    return Buffer.concat([Buffer.from(`${message.length} `), message])
  }
}

/** Writes everything and ends. Resolves when the other side has ended after that. */
function exchange(socket: net.Socket, connected: 'connect' | 'secureConnect', bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let hasFinished = false
  socket.once(connected, () => socket.end(bytes))
  socket.once('finish', () => (hasFinished = true))
  const end = (): void => {
    if (hasFinished) resolve()
    else reject(Object.assign(new Error('the server ended first'), { code: 'ECONNRESET' }))
  }
  socket.once('error', reject)
  socket.once('end', end)
  socket.once('close', end)
  // A server of syslog sends nothing.
  socket.resume()
  return promise
}

/** Escapes the value of a parameter (RFC 5424, section 6.3.3). */
function escaped(value: string): string {
  return value.replaceAll(/["\\\]]/g, String.raw`\$&`)
}

/** Returns a field of the header, which has printable ASCII only. */
function printable(text: string, length: number): string {
  return text.replaceAll(/[^!-~]/g, '-').slice(0, length) || '-'
}
