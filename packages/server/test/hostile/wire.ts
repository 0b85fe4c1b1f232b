/** Sends requests that a well-behaved client would not send: repeated headers, raw paths, raw bytes. */
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

export interface WireAnswer {
  /** The status; 0 if the connection was closed without an answer. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface WireRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: Buffer | undefined
}

/** Returns the answer, even if it arrives before the whole body was sent. */
export function sendHttp(baseUrl: string, { method, path, headers, body }: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path, setHost: !('host' in headers), agent: false })
    for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
    if (body) outgoing.setHeader('content-length', body.length)
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function parse(bytes: Buffer): WireAnswer {
  if (bytes.length === 0) return { status: 0, headers: {}, text: '' }
  const [head = '', ...rest] = bytes.toString('latin1').split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}

/** Returns everything that a TCP connection receives for these bytes until it is closed. */
export function sendRaw(baseUrl: string, bytes: string): Promise<WireAnswer> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(parse(Buffer.concat(chunks))))
    socket.write(bytes, 'latin1')
  })
}
