import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Fetch, FetchInit } from '@rollkey/sdk'
import { proxyFailure, proxyFor, proxyRefusal, requestThrough, type Proxy } from './proxy.ts'

/**
 * Implements `fetch` with node:http, through the proxy of the environment. Loading Node's own takes longer than everything else in a short
 * command.
 */
export function httpFetch(env: NodeJS.ProcessEnv): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    const proxy = proxyFor(url, env)
    const outgoing = proxy ? await requestThrough(proxy, url, init) : requestTo(url, init)
    outgoing.end(init.body)
    const incoming = await responseOf(outgoing, url, proxy)
    return {
      status: incoming.statusCode ?? 0,
      headers: { get: (name) => incoming.headersDistinct[name]?.join(', ') ?? null },
      text: () => text(incoming),
      get body() {
        return process.getBuiltinModule('node:stream').Readable.toWeb(incoming) as ReadableStream<Uint8Array>
      },
    }
  }
}

function requestTo(url: URL, { method, headers, signal }: FetchInit): ClientRequest {
  // Not imported: an import reads every export of the module, and so loads what node:http otherwise loads on demand.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return request(url, { method, headers, signal })
}

async function responseOf(
  outgoing: ClientRequest,
  { protocol }: URL,
  proxy: Proxy | undefined,
): Promise<IncomingMessage> {
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (incoming.statusCode !== 407 || !proxy) return incoming
    incoming.destroy()
  } catch (cause) {
    // Only https has its own connection behind that to the proxy.
    if (proxy && protocol === 'http:') throw proxyFailure(proxy, cause)
    // The cause is in the same place as in the errors of Node's `fetch`.
    throw new Error('the request failed', { cause })
  }
  throw proxyRefusal(proxy, 407)
}
