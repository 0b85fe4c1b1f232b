import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Fetch } from '@rollkey/sdk'

/** Implements `fetch` with node:http. Loading Node's own takes longer than everything else in a short command. */
export const httpFetch: Fetch = async (url, { method, headers, body, signal }) => {
  // Not imported: an import reads every export of the module, and so loads what node:http otherwise loads on demand.
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const outgoing = request(url, { method, headers, signal })
  outgoing.end(body)
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    return {
      status: incoming.statusCode ?? 0,
      headers: { get: (name) => incoming.headersDistinct[name]?.join(', ') ?? null },
      text: () => text(incoming),
      get body() {
        return process.getBuiltinModule('node:stream').Readable.toWeb(incoming) as ReadableStream<Uint8Array>
      },
    }
  } catch (cause) {
    // The cause is in the same place as in the errors of Node's `fetch`.
    throw new Error('the request failed', { cause })
  }
}
