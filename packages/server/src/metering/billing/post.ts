import type { Failure } from './receiver.ts'

interface SystemError {
  readonly code?: string
  readonly syscall?: string
}

/**
 * Returns whether the error occurred before the request was sent: the host was not found, the connection was refused, or the
 * certificate was rejected.
 */
function wasBeforeRequest({ code = '', syscall = '' }: SystemError): boolean {
  return (
    ['getaddrinfo', 'connect'].includes(syscall) ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_)/.test(code)
  )
}

function failureOf(error: unknown): Failure {
  const { name, cause } = error as Error
  const { code } = (cause ?? {}) as SystemError
  // A host with several addresses fails once for each.
  const causes = (cause instanceof AggregateError ? cause.errors : [cause ?? {}]) as SystemError[]
  return { kind: causes.every(wasBeforeRequest) ? 'not-received' : 'unknown', reason: code ?? name }
}

/** Sends one request without following redirects. Resolves with a Failure if there is no response. */
export async function post(
  url: string,
  request: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Response | Failure> {
  try {
    return await fetch(url, { method: 'POST', redirect: 'manual', ...request })
  } catch (error) {
    return failureOf(error)
  }
}

/** Discards the body of a response whose head is sufficient. */
export function discardBody(answer: Response): void {
  answer.body?.cancel().catch(() => undefined)
}
