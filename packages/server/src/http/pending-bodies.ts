/**
 * Bounds the memory of request bodies that are under way: an endpoint without a credential reads a body before it knows who
 * sends it. Bytes count when they arrive, not when they are announced, so a client that announces much and sends nothing
 * takes no room from others. A body that arrives in one piece is never counted: nothing of it waits.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '../base/api-error.ts'
import { networkOf, type AddressOf } from './client-address.ts'
import { HeldBytes, type ByteBounds } from './held-bytes.ts'

const retryAfterSec = 1

export interface PendingBodiesParts {
  readonly bounds: ByteBounds
  readonly addressOf: AddressOf
  /** Whether an address is a proxy's, which is not bounded: it sends the bodies of many clients. */
  readonly isProxy: (address: string) => boolean
  readonly onRefused: (limit: string) => void
}

/** The body of one request. */
export interface PendingBody {
  /** Counts bytes that have arrived and wait for the rest. Throws RATE_LIMITED. */
  add(bytes: number): void
}

export class PendingBodies {
  readonly #parts: PendingBodiesParts
  readonly #held = new HeldBytes()

  constructor(parts: PendingBodiesParts) {
    this.#parts = parts
  }

  /** What is counted stays so until the request is answered or its client is gone. */
  of(request: IncomingMessage, response: ServerResponse): PendingBody {
    let counted = 0
    let address = ''
    return {
      add: (bytes) => {
        if (counted === 0) {
          address = this.#parts.addressOf(request)
          response.once('close', () => this.#held.add(networkOf(address), -counted))
        }
        this.#assertRoom(address, bytes)
        this.#held.add(networkOf(address), bytes)
        counted += bytes
      },
    }
  }

  #assertRoom(address: string, bytes: number): void {
    const { bounds, isProxy, onRefused } = this.#parts
    const isFull = this.#held.total + bytes > bounds.total
    if (!isFull && (this.#held.by(networkOf(address)) + bytes <= bounds.perHolder || isProxy(address))) return
    onRefused('bodies')
    throw new ApiError(
      'RATE_LIMITED',
      'Too many bytes of request bodies are under way; send fewer large ones at once.',
      {
        'retry-after': String(retryAfterSec),
      },
    )
  }
}
