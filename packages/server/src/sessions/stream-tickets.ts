/**
 * Tickets for browsers, whose event streams send no headers. A ticket opens the stream of one stage and nothing else, for half an
 * hour at most, and ends with the token that it was made for. It contains no part of that token: it is authenticated with the
 * token's hash, which only the store has.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The stage whose events a ticket opens. */
export interface TicketStage {
  readonly projectSlug: string
  readonly stageSlug: string
}

interface TicketOwner {
  readonly id: string
  readonly tokenHash: string
}

/** All tickets of a window are the same, so that equal answers have equal bytes on every node. */
const windowMs = 15 * 60_000
const format = /^(?<sessionId>[A-Za-z0-9_-]{1,64})\.(?<expiry>[0-9a-z]{1,11})\.(?<mac>[A-Za-z0-9_-]{43})$/

/** Returns until when a ticket that is issued now is valid: for one to two windows. */
export function ticketExpiry(nowMs: number): number {
  return (Math.floor(nowMs / windowMs) + 2) * windowMs
}

/** Returns the ticket of a session. */
export function ticketOf({ id, tokenHash }: TicketOwner, stage: TicketStage, expiresAtMs: number): string {
  return `${id}.${expiresAtMs.toString(36)}.${macOf(tokenHash, id, stage, expiresAtMs).toString('base64url')}`
}

function macOf(
  tokenHash: string,
  sessionId: string,
  { projectSlug, stageSlug }: TicketStage,
  expiresAtMs: number,
): Buffer {
  const text = ['event stream', sessionId, projectSlug, stageSlug, expiresAtMs].join('\n')
  return createHmac('sha256', tokenHash).update(text).digest()
}

/** A ticket as its bearer sent it. Whether it is genuine is not yet known. */
export class StreamTicket {
  readonly sessionId: string
  readonly expiresAtMs: number
  readonly #mac: Buffer
  readonly #stage: TicketStage
  /** Two tickets with the same key are the same. */
  readonly key: string

  private constructor(text: string, parts: Record<string, string>, stage: TicketStage) {
    const { sessionId = '', expiry = '', mac = '' } = parts
    this.sessionId = sessionId
    this.expiresAtMs = Number.parseInt(expiry, 36)
    this.#mac = Buffer.from(mac, 'base64url')
    this.#stage = stage
    this.key = `${stage.projectSlug}/${stage.stageSlug} ${text}`
  }

  /** Returns undefined for a text that cannot be a ticket. */
  static parse(text: string, stage: TicketStage): StreamTicket | undefined {
    const parts = format.exec(text)?.groups
    return parts && new StreamTicket(text, parts, stage)
  }

  /** Returns whether it was issued for the token with this hash. */
  isOf(tokenHash: string): boolean {
    return timingSafeEqual(this.#mac, macOf(tokenHash, this.sessionId, this.#stage, this.expiresAtMs))
  }
}
