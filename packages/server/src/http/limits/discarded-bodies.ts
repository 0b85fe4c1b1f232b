/**
 * Discards the rest of a request's body after the answer, because some clients read the answer only after they have sent the
 * whole body. Reading costs time, so a node discards at most about 4 MiB per second. Further connections take turns. When too
 * many wait, the next connection is closed.
 */
import type { Readable } from 'node:stream'

const intervalMs = 100
const connectionsPerInterval = 3
/** A resumed connection yields two chunks of 64 KiB: one that Node has already read and one from its socket. */
const bytesPerInterval = connectionsPerInterval * 2 * 65_536
/** Maximum waiting connections. Each holds a chunk in memory. */
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
    // Otherwise Node discards the body after the answer without a limit.
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
