import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Fetch } from '@rollkey/sdk'

/** `fetch` by node:http: to load the one that Node has takes longer than all the rest of a short command. */
export const httpFetch: Fetch = async (url, { method, headers, body, signal }) => {
  // Not by an import, which reads every export of the module, and so loads what node:http would have loaded when asked.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const outgoing = request(url, { method, headers, signal })
  outgoing.end(body)
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return {
      status: incoming.statusCode ?? 0,
      headers: { get: (name) => incoming.headersDistinct[name]?.join(', ') ?? null },
      text: () => text(incoming),
    }
  } catch (cause) {
    // The reason is where the one of Node has it.
    throw new Error('the request failed', { cause })
  }
}
