/**
 * Limits the connections of a node, in total and per address. A connection over a limit closes the one that has been idle
 * longest, of a hundred. If none has been idle for a second, the new connection is closed, which makes bursts of short connections cheap.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, type Socket, type SocketAddress } from 'node:net'
import { networkOf } from './client-address.ts'

export interface ConnectionBounds {
  readonly total: number
  readonly perAddress: number
  /** Returns whether an address is a trusted proxy. Proxies have no limit per address, since they forward many clients. */
  readonly isProxy: (address: string) => boolean
}

const minIdleMs = 1_000
/** How many connections are compared, once one of them is idle: who opens many at once makes no one wait. */
const compared = 100

/** Connections that have a limit together. The oldest come first, and those that were found busy last. */
class Limited {
  readonly sockets = new Set<Socket>()
  /** Before this time, none has been idle for a second. */
  noneBeforeMs = -Infinity
}

interface Connection {
  readonly network: string
  /**
   * When the connection opened or its last request ended. Infinity while the body of an answered request is still arriving, and for an
   * event stream.
   */
  idleSinceMs: number
}

/** The addresses that a server accepts no connections of. It asks before a connection costs more than a handle. */
export class RefusedAddresses extends BlockList {
  readonly #connections: Connections

  constructor(connections: Connections) {
    super()
    this.#connections = connections
  }

  override check(address: SocketAddress | string): boolean {
    return !this.#connections.admits(typeof address === 'string' ? address : address.address)
  }
}

export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #known = new Map<Socket, Connection>()
  readonly #all = new Limited()
  readonly #byNetwork = new Map<string, Limited>()

  constructor(bounds: ConnectionBounds) {
    this.#bounds = bounds
  }

  /** Returns whether an address may open another connection, and closes one that has been idle if it needs its place. */
  admits(address: string): boolean {
    const { total, perAddress, isProxy } = this.#bounds
    const sameNetwork = this.#byNetwork.get(networkOf(address))
    const isOverAddress = sameNetwork && sameNetwork.sockets.size >= perAddress && !isProxy(address)
    const full = isOverAddress ? sameNetwork : this.#all.sockets.size >= total ? this.#all : undefined
    return !full || this.#closeLongestIdle(full)
  }

  /** Adds a connection whose address is admitted. */
  add(socket: Socket): void {
    const { remoteAddress: address } = socket
    // The client has already left.
    if (address === undefined) return void socket.destroy()
    const network = networkOf(address)
    const sameNetwork = this.#byNetwork.get(network) ?? new Limited()
    this.#known.set(socket, { network, idleSinceMs: performance.now() })
    this.#byNetwork.set(network, sameNetwork)
    for (const { sockets } of [this.#all, sameNetwork]) sockets.add(socket)
    socket.once('close', () => this.#remove(socket))
  }

  /**
   * Records that a request of the connection was answered. If its body is incomplete then, call it again when the body is
   * complete.
   */
  answered({ socket, complete }: IncomingMessage): void {
    const connection = this.#known.get(socket)
    if (connection) connection.idleSinceMs = complete ? performance.now() : Infinity
  }

  /** Records that the connection has begun its last answer, an event stream. */
  occupied(socket: Socket): void {
    const connection = this.#known.get(socket)
    if (connection) connection.idleSinceMs = Infinity
  }

  [Symbol.iterator](): Iterator<Socket> {
    return this.#known.keys()
  }

  /** Closes the connection that has been idle longest of those that are compared. Returns false if none has been idle for a second. */
  #closeLongestIdle(full: Limited): boolean {
    const nowMs = performance.now()
    if (nowMs < full.noneBeforeMs) return false
    let longest: Socket | undefined
    let sinceMs = nowMs - minIdleMs
    let nextMs = nowMs + minIdleMs
    const count = full.sockets.size
    let seen = 0
    for (const socket of full.sockets) {
      if (seen === count || (longest && seen >= compared)) break
      seen++
      const { idleSinceMs } = this.#known.get(socket) as Connection
      const isAnswering = Boolean(answerOn(socket))
      if (isAnswering || idleSinceMs >= nowMs - minIdleMs) {
        nextMs = Math.min(nextMs, (isAnswering ? nowMs : idleSinceMs) + minIdleMs)
        full.sockets.delete(socket)
        full.sockets.add(socket)
      } else if (idleSinceMs < sinceMs) {
        longest = socket
        sinceMs = idleSinceMs
      }
    }
    if (!longest) {
      full.noneBeforeMs = nextMs
      return false
    }
    this.#remove(longest)
    longest.destroy()
    return true
  }

  #remove(socket: Socket): void {
    const connection = this.#known.get(socket)
    if (!connection) return
    const sameNetwork = this.#byNetwork.get(connection.network)
    this.#known.delete(socket)
    this.#all.sockets.delete(socket)
    sameNetwork?.sockets.delete(socket)
    if (sameNetwork?.sockets.size === 0) this.#byNetwork.delete(connection.network)
  }
}

/** Returns the answer that is being written on a connection, if any. */
export function answerOn(socket: Socket): ServerResponse | null | undefined {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return answer
}
