import { vi } from 'vitest'

export interface Requested {
  readonly path: string
  readonly body: unknown
}

/**
 * Answers the component's requests by path, and returns the list of those made. A function receives the body. Each answer
 * has a `requestId`. Another path gets 404. The access token is always granted. Lasts until the end of the test.
 *
 * @example
 * const requests = answer({ '/v1/projects/list': { projects: [] } })
 */
export function answer(answers: Readonly<Record<string, unknown>>): readonly Requested[] {
  const requests: Requested[] = []
  const fetchOf = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    // The signal of jsdom is not one of Node's.
    const options = { ...init, signal: null }
    const request = new Request(new URL(input instanceof Request ? input.url : input, location.origin), options)
    const path = new URL(request.url).pathname
    if (path === '/identity/token') return Response.json({ token: 'test-token' })
    const text = await request.text()
    const body: unknown = text === '' ? undefined : JSON.parse(text)
    requests.push({ path, body })
    const found = answers[path]
    if (found === undefined)
      return Response.json(
        { error: { code: 'NOT_FOUND', message: 'Not found', requestId: 'request-1' } },
        { status: 404 },
      )
    const result: unknown = typeof found === 'function' ? found(body) : found
    return result instanceof Response ? result : Response.json({ requestId: 'request-1', ...(result as object) })
  }
  vi.stubGlobal('fetch', vi.fn(fetchOf))
  return requests
}
