/** A persistent connection that sends raw bytes, which no HTTP library would send, in a tenth of a library's time. */
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The body; empty for a stream, of which only the head is read. */
  readonly text: string
  /** Whether the connection yields no further answers. */
  readonly isLast: boolean
}

interface Sending {
  /** Whether the answer has no body, whatever its head says. */
  readonly isHead: boolean
  /** Whether this is the last request on the connection. */
  readonly isLast: boolean
}

interface Waiting extends Sending {
  readonly resolve: (answer: Answer | undefined) => void
}

export class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  /** `port`: the port of a service on this machine. */
  constructor(port: number) {
    this.#port = port
  }

  /** Sends the bytes of one request and returns the answer; undefined if the connection was closed without one. */
  send(bytes: Buffer, sending: Sending): Promise<Answer | undefined> {
    this.#socket ??= this.#open()
    if (sending.isLast) this.#socket.end(bytes)
    else this.#socket.write(bytes)
    return new Promise((resolve) => {
      this.#waiting = { ...sending, resolve }
    })
  }

  /** Closes the connection, so that the next request uses a new one. */
  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => {
      if (socket === this.#socket) this.#read(chunk)
    })
    // Only the presence of an answer matters.
    socket.on('error', () => {})
    socket.on('close', () => {
      if (socket === this.#socket) this.#settle(undefined)
    })
    return socket
  }

  #read(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    const answer = this.#waiting && answerIn(this.#bytes, this.#waiting.isHead)
    if (answer) this.#settle(answer)
  }

  #settle(answer: Answer | undefined): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#bytes = Buffer.alloc(0)
    if (!answer || answer.isLast || waiting?.isLast === true) this.close()
    waiting?.resolve(answer)
  }
}

/** Returns the answer at the beginning of the bytes; undefined while it is incomplete. */
function answerIn(bytes: Buffer, isHead: boolean): Answer | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const body = bytes.subarray(headEnd + 4)
  if (status < 200) return answerIn(body, isHead)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const hasNone = isHead || status === 204 || status === 304
  const length = hasNone ? 0 : Number(headers['content-length'])
  if (body.length < length) return undefined
  const isStream = Number.isNaN(length)
  const isLast = isStream || headers['connection'] === 'close'
  return { status, headers, text: isStream ? '' : body.toString('utf8', 0, length), isLast }
}
