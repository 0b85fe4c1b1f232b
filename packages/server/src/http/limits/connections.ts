/**
 * Limits the connections of a node, in total and per address. A connection over a limit closes the one that has been idle
 * longest. If none has been idle for a second, the new connection is closed, which makes bursts of short connections cheap.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from './client-address.ts'

export interface ConnectionBounds {
  readonly total: number
  readonly perAddress: number
  /** Returns whether an address is a trusted proxy. Proxies have no limit per address, since they forward many clients. */
  readonly isProxy: (address: string) => boolean
}

const minIdleMs = 1_000

interface Connection {
  readonly network: string
  /**
   * When the connection opened or its last request ended. Infinity while the body of an answered request is still arriving, and for an
   * event stream.
   */
  idleSinceMs: number
}

export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #all = new Map<Socket, Connection>()
  readonly #byNetwork = new Map<string, Set<Socket>>()

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  add(socket: Socket): void {
    const { remoteAddress: address = '' } = socket
    const network = networkOf(address)
    const { total, perAddress, isProxy } = this.#bounds
    const sameNetwork = this.#byNetwork.get(network) ?? new Set<Socket>()
    const isOverAddress = sameNetwork.size >= perAddress && !isProxy(address)
    const candidates = isOverAddress ? sameNetwork : this.#all.size >= total ? this.#all.keys() : undefined
    if (candidates && !this.#closeLongestIdle(candidates)) {
      socket.destroy()
      return
    }
    this.#all.set(socket, { network, idleSinceMs: performance.now() })
    this.#byNetwork.set(network, sameNetwork.add(socket))
    socket.once('close', () => this.#remove(socket))
  }

  /**
   * Records that a request of the connection was answered. If its body is incomplete then, call it again when the body is
   * complete.
   */
  answered({ socket, complete }: IncomingMessage): void {
    const connection = this.#all.get(socket)
    if (connection) connection.idleSinceMs = complete ? performance.now() : Infinity
  }

  /** Records that the connection has begun its last answer, an event stream. */
  occupied(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (connection) connection.idleSinceMs = Infinity
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#all.keys()
  }

  /** Closes the connection that has been idle longest. Returns false if none has been idle for a second. */
  #closeLongestIdle(candidates: Iterable<Socket>): boolean {
    let longest: Socket | undefined
    let sinceMs = performance.now() - minIdleMs
    for (const socket of candidates) {
      const { idleSinceMs } = this.#all.get(socket) as Connection
      if (idleSinceMs >= sinceMs || answerOn(socket)) continue
      longest = socket
      sinceMs = idleSinceMs
    }
    if (!longest) return false
    this.#remove(longest)
    longest.destroy()
    return true
  }

  #remove(socket: Socket): void {
    const connection = this.#all.get(socket)
    if (!connection) return
    this.#all.delete(socket)
    const sameNetwork = this.#byNetwork.get(connection.network)
    sameNetwork?.delete(socket)
    if (sameNetwork?.size === 0) this.#byNetwork.delete(connection.network)
  }
}

/** Returns the answer that is being written on a connection, if any. */
export function answerOn(socket: Socket): ServerResponse | null | undefined {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return answer
}
