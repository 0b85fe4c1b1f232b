import { builtInRoles, verbs } from '@rollkey/contract/rules'
import { vi } from 'vitest'

export interface Requested {
  readonly path: string
  readonly body: unknown
}

/**
 * Answers the component's requests by path, and returns the list of those made. A function receives the body. Each answer
 * has a `requestId`. Another path gets 404. The access token is always granted, and the viewer has the
 * verbs of their role by default, which is owner. Lasts until the end of the test.
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
    const known = answers[path]
    const found = path === '/v1/whoami' && typeof known !== 'function' ? ownVerbs(known) : known
    if (found === undefined)
      return Response.json(
        { error: { code: 'NOT_FOUND', message: 'Not found', requestId: 'request-1' } },
        { status: 404 },
      )
    const result: unknown = typeof found === 'function' ? await found(body) : found
    return result instanceof Response ? result : Response.json({ requestId: 'request-1', ...(result as object) })
  }
  vi.stubGlobal('fetch', vi.fn(fetchOf))
  return requests
}

/** Returns the answer about the viewer, with the verbs that a member, an admin or an owner has by default. */
function ownVerbs(whoami: unknown): object {
  const known = { role: 'owner', ...(whoami as object) }
  return { verbs: [{ verbs: known.role === 'member' ? builtInRoles.developer : verbs }], ...known }
}
