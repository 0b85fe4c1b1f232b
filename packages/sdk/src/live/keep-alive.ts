/**
 * Keeps an open stream from keeping a Node process alive. `fetch` has no option for that, but tells each request's socket to
 * `undici:client:sendHeaders` (https://undici.nodejs.org/#/docs/api/DiagnosticsChannel).
 */

interface SentRequest {
  readonly request: { readonly origin?: unknown; readonly path?: unknown }
  readonly socket: { unref(): void; readonly alpnProtocol?: unknown }
}

type Subscribe = (channel: string, listener: (message: unknown) => void) => void

const { process: node } = globalThis as {
  process?: { getBuiltinModule?: (name: string) => { readonly subscribe: Subscribe } }
}
const channel = node?.getBuiltinModule?.('node:diagnostics_channel')
/** Addresses of event streams, without their queries. */
const streams = new Set<string>()
let isSubscribed = false

/** Lets the process end while streams of the service at this address are open. Does nothing outside Node. */
export function doNotKeepAlive(url: string): void {
  streams.add(`${url}/v1/events`)
  if (isSubscribed) return
  isSubscribed = true
  channel?.subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as SentRequest
    const [address = ''] = `${String(request.origin)}${String(request.path)}`.split('?', 1)
    // Requests of HTTP/2 share their socket.
    if (streams.has(address) && socket.alpnProtocol !== 'h2') socket.unref()
  })
}
