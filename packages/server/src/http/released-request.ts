/**
 * Requests for event streams leave node:http when their head has been read. Its parser, its listeners and its records of a
 * connection take about 10 kB, which a stream would keep for hours although none of its bytes need them.
 */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@rollkey/contract'
import { answerOn } from './limits/connections.ts'

const eventsPath = /^[^?]*\/v1\/events(?:\?|$)/

/** A request. Node hands over the connection of one whose field `upgrade` is true, and reads no further request from it. */
export class ReleasableRequest extends IncomingMessage {
  get upgrade(): boolean {
    const { method, url = '' } = this
    return method === 'CONNECT' || (method === 'GET' && eventsPath.test(url))
  }

  // Node sets it for the header Upgrade, which the service ignores (RFC 9110, section 7.8).
  set upgrade(_: boolean) {}
}

/** Maximum bytes that a reader may send: the largest head, and as much again that is ignored. */
const maxReceivedBytes = 2 * limits.headerBytes

function limitReceived(this: Socket): void {
  if (this.bytesRead > maxReceivedBytes) this.destroy()
}

function close(this: Socket): void {
  this.destroy()
}

function closeUnread(this: Socket): void {
  if (this.writableEnded || this.writableLength > 0) this.destroy()
}

/** Watches a connection in place of node:http. All connections share the listeners. */
export function followAlone(socket: Socket): void {
  socket.on('data', limitReceived).on('end', close).on('error', close).on('timeout', closeUnread)
}

/** Continues when earlier requests, which the client may have sent with this one, are answered. */
export function whenAnswered(socket: Socket, next: () => void): void {
  const earlier = answerOn(socket)
  if (earlier) earlier.once('finish', () => whenAnswered(socket, next))
  else if (!socket.destroyed) next()
}
