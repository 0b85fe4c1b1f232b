/** The port to a receiver of the audit stream. */

/** An entry of an audit log, or a checkpoint of it, as it is sent. */
export interface StreamMessage {
  readonly orgId: string
  /** Slug of the organization. */
  readonly organization: string
  /** Number of the entry, or of the last one that the checkpoint covers. */
  readonly seq: number
  readonly atMs: number
  /** Action, or `audit.checkpoint`. */
  readonly type: string
  readonly isFailure: boolean
  /** JSON or CEF, without a line feed. */
  readonly text: string
}

export interface StreamReceiver {
  /**
   * Sends messages in their order. Returns undefined if the receiver has accepted all of them, otherwise why it has not: short, and without
   * anything of its URL. Never throws.
   */
  send(messages: readonly StreamMessage[], signal: AbortSignal): Promise<string | undefined>
}

/** Returns the code of an error of the network, of TLS or of the file system, which names no address and no path. */
export function codeOf(error: unknown): string {
  const { code, name, cause } = error as { code?: string; name: string; cause?: { code?: string } }
  return cause?.code ?? (typeof code === 'string' ? code : name)
}
