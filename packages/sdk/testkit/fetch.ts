/** A network that a test controls, in front of the in-memory service or in its place. */
import { createTestService, type TestService, type TestServiceOptions } from '../src/testing/index.ts'
import { clientOf } from '../src/client.ts'
import type { Client, ClientOptions } from '../src/index.ts'
import { TestHost } from './host.ts'

/** The fate of a request: an answer of the test, `lost` after the service has processed it, or `hung` forever. */
type Fate = Response | Promise<Response> | 'arrives' | 'lost' | 'hung' | 'refused'

export interface Bench {
  readonly service: TestService
  readonly client: Client
  readonly host: TestHost
  /** The fates of the next requests, in order. All later requests arrive. */
  readonly fates: Fate[]
  /** Headers of all requests. */
  readonly headers: Headers[]
  /** Returns how many requests were for this operation. */
  readonly count: (operation: string) => number
}

export function openBench(
  { variables = {} }: Pick<TestServiceOptions, 'variables'>,
  options: Partial<ClientOptions> = {},
  host = new TestHost(),
  /** Answers requests for streams. By default, the service has none. */
  streams: typeof fetch = async () => refusal(404, 'NOT_FOUND'),
): Bench {
  const service = createTestService({ variables })
  const fates: Fate[] = []
  const headers: Headers[] = []
  const arrive = service.options.fetch as typeof fetch
  const scripted: typeof fetch = async (input, init) => {
    if (new Request(input).url.includes('/v1/events')) return streams(input, init)
    headers.push(new Headers(init?.headers))
    const fate = fates.shift()
    if (typeof fate === 'object') return fate
    if (fate === 'hung') return hung(init?.signal)
    if (fate === 'refused') throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    const answer = await arrive(input, init)
    if (fate === 'lost') throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
    return answer
  }
  const { url, org, project, stage, token } = service.options
  return {
    service,
    host,
    fates,
    headers,
    client: clientOf({ url, org, project, stage, token, fetch: scripted, ...options }, host),
    count: (operation) => service.requests.filter((request) => request.operation === operation).length,
  }
}

function hung(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

/** Returns an answer with an error of the service. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error: { code, message: `It is ${code}.`, requestId: 'request-1' } }, { status, headers })
}
