/** Spans of requests to other services, which Node reports on channels. They have the method, the host and the status, never a path. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { EndSpan, Tracer } from './tracer.ts'

interface UpstreamMessage {
  readonly request: { readonly origin: string; readonly method: string }
  readonly response?: { readonly statusCode: number }
}

/** Begins to record the requests to other services. Returns a function that ends that. */
export function traceUpstream(tracer: Tracer): () => void {
  const open = new WeakMap<object, EndSpan>()
  const listeners = {
    'undici:request:create'({ request }: UpstreamMessage) {
      const { method: name, origin } = request
      const attributes = { 'http.request.method': name, 'server.address': URL.parse(origin)?.hostname ?? '' }
      const span = tracer.begin({ name, kind: 'client', attributes })
      if (span) open.set(request, span.end)
    },
    'undici:request:headers'({ request, response }: UpstreamMessage) {
      const status = response?.statusCode ?? 0
      open.get(request)?.(status >= 400, { 'http.response.status_code': status })
      open.delete(request)
    },
    'undici:request:error'({ request }: UpstreamMessage) {
      open.get(request)?.(true)
      open.delete(request)
    },
  }
  const channels = Object.entries(listeners) as [string, (message: unknown) => void][]
  for (const [name, listener] of channels) subscribe(name, listener)
  return () => {
    for (const [name, listener] of channels) unsubscribe(name, listener)
  }
}
