/**
 * Limits the memory of request bodies that are still arriving: an endpoint without authentication reads a body of an unknown
 * client. Bytes count when they arrive, not when they are announced, so a client that announces much and sends nothing takes
 * no memory from others. A body that arrives in one chunk is never counted, since no part of it waits.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../../base/api-error.ts'
import { networkOf, type AddressOf } from './client-address.ts'
import { ClientBytes, type ByteBounds } from './client-bytes.ts'

const retryAfterSec = 1

export interface PendingBodiesParts {
  readonly bounds: ByteBounds
  readonly addressOf: AddressOf
  /** Returns whether an address is a trusted proxy. Proxies have no limit per address, since they forward many clients. */
  readonly isProxy: (address: string) => boolean
  readonly onRefused: (limit: string) => void
}

export class PendingBodies {
  readonly #parts: PendingBodiesParts
  readonly #bytes = new ClientBytes()

  constructor(parts: PendingBodiesParts) {
    this.#parts = parts
  }

  /** Returns the body of a request. Its bytes count until the request is answered or the client disconnects. */
  bodyOf(request: IncomingMessage, response: ServerResponse): PendingBody {
    return new PendingBody(this, request, response)
  }

  addressOf(request: IncomingMessage): string {
    return this.#parts.addressOf(request)
  }

  /** Counts bytes for an address. Throws RATE_LIMITED. */
  add(address: string, bytes: number): void {
    this.#assertRoom(address, bytes)
    this.#bytes.add(networkOf(address), bytes)
  }

  remove(address: string, bytes: number): void {
    this.#bytes.add(networkOf(address), -bytes)
  }

  #assertRoom(address: string, bytes: number): void {
    const { bounds, isProxy, onRefused } = this.#parts
    const isFull = this.#bytes.total + bytes > bounds.total
    if (!isFull && (this.#bytes.by(networkOf(address)) + bytes <= bounds.perClient || isProxy(address))) return
    onRefused('bodies')
    throw new ApiError(
      'RATE_LIMITED',
      'Too many bytes of request bodies are in transit: send fewer large requests at once.',
      {
        'retry-after': String(retryAfterSec),
      },
    )
  }
}

/** The body of one request. */
export class PendingBody {
  readonly #all: PendingBodies
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  #address = ''
  #counted = 0

  constructor(all: PendingBodies, request: IncomingMessage, response: ServerResponse) {
    this.#all = all
    this.#request = request
    this.#response = response
  }

  /** Counts bytes that have arrived and wait for the rest. Throws RATE_LIMITED. */
  add(bytes: number): void {
    if (this.#counted === 0) {
      this.#address = this.#all.addressOf(this.#request)
      this.#response.once('close', () => this.#all.remove(this.#address, this.#counted))
    }
    this.#all.add(this.#address, bytes)
    this.#counted += bytes
  }
}
