/**
 * Discards what is left of the body of an answered request: a client that is still sending may read its answer only afterwards.
 * Reading costs time, so a node discards about 4 MiB per second. Connections beyond that take turns, and a connection that finds
 * no room to wait is closed.
 */
import type { Readable } from 'node:stream'

const intervalMs = 100
const connectionsPerInterval = 3
/** A connection that goes on gives two pieces of 64 KiB: one that Node has read already and one from its socket. */
const bytesPerInterval = connectionsPerInterval * 2 * 65_536
/** Each of them holds a piece in memory. */
const maxWaiting = 1_000

export class DiscardedBodies {
  readonly #waiting = new Set<Readable>()
  #bytesLeft = bytesPerInterval
  #timer: NodeJS.Timeout | undefined

  add(request: Readable): void {
    request.on('data', ({ length }: Buffer) => this.#count(request, length))
    request.once('close', () => {
      if (!this.#waiting.delete(request) && this.#bytesLeft > 0) this.#resume(1)
    })
    // Otherwise Node itself discards the body after the answer, without a bound.
    request.read()
  }

  #count(request: Readable, bytes: number): void {
    this.#timer ??= setInterval(() => this.#nextInterval(), intervalMs).unref()
    this.#bytesLeft -= bytes
    if (this.#bytesLeft > 0) return
    if (this.#waiting.size < maxWaiting) this.#waiting.add(request.pause())
    else request.destroy()
  }

  #nextInterval(): void {
    if (this.#bytesLeft === bytesPerInterval) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    this.#bytesLeft = bytesPerInterval
    this.#resume(connectionsPerInterval)
  }

  #resume(connections: number): void {
    for (const request of [...this.#waiting].slice(0, connections)) {
      this.#waiting.delete(request)
      request.resume()
    }
  }
}
