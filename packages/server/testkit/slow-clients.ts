/** Clients that are slow, stuck or half closed, over raw sockets. */
import { connect, type Socket } from 'node:net'

export interface Service {
  readonly port: number
  /** A POST endpoint that needs no credential. */
  readonly path: string
}

interface SlowClient {
  readonly behave: (socket: Socket, service: Service) => void
  /** Data received by the time its connection closes. */
  readonly end: RegExp
}

const dripMs = 100
const timedOut = /^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/

function headOf(path: string, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
}

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), dripMs)
  socket.on('close', () => clearInterval(timer))
}

export const slowClients: Readonly<Record<string, SlowClient>> = {
  'say nothing': { behave: () => {}, end: timedOut },
  'send a head byte by byte': {
    behave: (socket, { path }) => {
      socket.write(`POST ${path} HTTP/1.1\r\nX: `)
      drip(socket, 'x')
    },
    end: timedOut,
  },
  'send header lines forever': {
    behave: (socket, { path }) => {
      socket.write(`POST ${path} HTTP/1.1\r\n`)
      drip(socket, 'X: y\r\n')
    },
    end: timedOut,
  },
  'send a body byte by byte': {
    behave: (socket, { path }) => {
      socket.write(headOf(path, 'Content-Length: 4000\r\n'))
      drip(socket, ' ')
    },
    end: timedOut,
  },
  'send a chunk byte by byte': {
    behave: (socket, { path }) => {
      socket.write(`${headOf(path, 'Transfer-Encoding: chunked\r\n')}ffff\r\n`)
      drip(socket, ' ')
    },
    end: timedOut,
  },
  'send half a request': {
    behave: (socket, { path }) => void socket.write(headOf(path, 'Content-Length: 100\r\n')),
    end: timedOut,
  },
  'half close in the middle of a head': {
    behave: (socket, { path }) => void socket.end(`POST ${path} HTTP/1.1\r\nHo`),
    end: /^HTTP\/1\.1 400 |^$/,
  },
  'half close in the middle of a body': {
    behave: (socket, { path }) => void socket.end(headOf(path, 'Content-Length: 100\r\n')),
    end: /^HTTP\/1\.1 400 |^$/,
  },
  'reset in the middle of a body': {
    behave: (socket, { path }) => {
      socket.write(headOf(path, 'Content-Length: 100\r\n'), () => socket.resetAndDestroy())
    },
    end: /^$/,
  },
  'send 100,000 header lines': {
    behave: (socket, { path }) => void socket.write(`POST ${path} HTTP/1.1\r\n${'a:b\r\n'.repeat(100_000)}\r\n`),
    // Unread data in transit when the connection closes can destroy the answer.
    end: /^HTTP\/1\.1 431 |^$/,
  },
}

/** Returns everything that the client has received by the time its connection closes. */
export function receivedBy({ behave }: Pick<SlowClient, 'behave'>, service: Service): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(service.port, '127.0.0.1')
    let received = ''
    socket.on('data', (data) => (received += data.toString()))
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
    socket.on('connect', () => behave(socket, service))
  })
}
