/**
 * The method LIST of Vault's clients, which the parser of node:http does not know. It fails two bytes into such a request, and says
 * where. The connection then begins again at that request, with a method of the same length that the parser knows (docs/decisions/0058).
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { whenAnswered } from './released-request.ts'

/** Error of node:http for bytes that it cannot parse. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly bytesParsed?: number
  /** What arrived last, with the bytes that it cannot parse. */
  readonly rawPacket?: Buffer
}

/** LINK was in HTTP/1.1 of 1997 (RFC 2068) and has had no use since. No endpoint has it. */
const standIn = 'LINK'
/** How much of LIST the parser reads as the beginning of LINK. */
const alike = 2

/** What node:http listens to on a connection. */
const eventsOfHttp = ['data', 'end', 'close', 'drain', 'timeout', 'error', 'pause', 'resume']

/** Requests that wait for the answers to earlier ones of their connection, from the first LIST on. */
const waiting = new WeakMap<Socket, Buffer[]>()

/** Returns what arrived from a LIST on, with the method that the parser knows. Returns undefined for any other error. */
function fromList({ code, bytesParsed = 0, rawPacket }: ParserError): Buffer | undefined {
  const rest = code === 'HPE_INVALID_METHOD' ? rawPacket?.subarray(Math.max(0, bytesParsed - alike)) : undefined
  if (rest?.toString('latin1', 0, 5) !== 'LIST ') return undefined
  const known = Buffer.from(rest)
  known.write(standIn)
  return known
}

/** Lets the connection go on at a LIST that the parser refused. Returns false for any other error. */
export function resumeAtList(server: Server, error: ParserError, socket: Socket): boolean {
  const known = waiting.get(socket)
  const rest = known ? error.rawPacket : fromList(error)
  if (!rest || socket.writableEnded) return false
  const received = known ?? []
  received.push(rest)
  socket.pause()
  if (known) return true
  waiting.set(socket, received)
  whenAnswered(socket, () => {
    waiting.delete(socket)
    // An earlier answer may have been the last one of the connection.
    if (!socket.writableEnded) beginAgain(server, socket, Buffer.concat(received))
  })
  return true
}

/** Has node:http leave the connection, as after its end, and take it as a new one on which these bytes arrive. */
function beginAgain(server: Server, socket: Socket, received: Buffer): void {
  socket.emit('close')
  for (const event of eventsOfHttp) socket.removeAllListeners(event)
  socket.unshift(received)
  server.emit('connection', socket)
  socket.resume()
}

/** Gives a request its own method back. */
export function restoreMethod(request: IncomingMessage): void {
  if (request.method === standIn) request.method = 'LIST'
}
