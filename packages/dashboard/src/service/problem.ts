/** What went wrong with a request, whichever part of the service answered it. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  /** HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly retryAfterSec: number | undefined
  readonly requestId: string | undefined

  constructor(fields: {
    code: string
    message: string
    status: number
    retryAfterSec?: number | undefined
    requestId?: string | undefined
  }) {
    super(fields.message)
    this.code = fields.code
    this.status = fields.status
    this.retryAfterSec = fields.retryAfterSec
    this.requestId = fields.requestId
  }
}

/** The code of a request that had no answer. */
export const unreachable = 'UNREACHABLE'

export function unreachableProblem(): Problem {
  return new Problem({ code: unreachable, message: 'There was no answer.', status: 0 })
}

/** The header's waiting time in seconds: the API and the identity provider name it differently. */
export function retryAfterSecOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? headers.get('x-retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : undefined
}

/** Whether the service refused because the person has to prove first that it is them. */
export function needsConfirmation(error: unknown): boolean {
  return error instanceof Problem && error.code === 'CONFIRMATION_REQUIRED'
}
