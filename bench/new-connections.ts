/** The load of clients that open a connection for each request, at a given rate. */
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Sent {
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request over its own connection. Resolves when the answer has ended, with its status, or 0 without one. */
function send(url: string, { method, path, headers, body }: Sent): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(`${url}${path}`, { method, headers, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    outgoing.on('error', () => resolve(0)).end(body)
  })
}

/**
 * Sends `requestOf(0)`, `requestOf(1)` … at `rate` a second. Returns the latencies of each kind in milliseconds, counted from when a request
 * was due, and how many were not answered with 200.
 */
export async function loadOverNewConnections(
  url: string,
  requestOf: (number: number) => Sent,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<{ latencies: ReadonlyMap<string, number[]>; failed: number }> {
  const latencies = new Map<string, number[]>()
  let failed = 0
  const measure = async (sent: Sent, dueAt: number): Promise<void> => {
    if ((await send(url, sent)) !== 200) failed++
    const ofKind = latencies.get(sent.kind)
    const latencyMs = performance.now() - dueAt
    if (ofKind) ofKind.push(latencyMs)
    else latencies.set(sent.kind, [latencyMs])
  }
  const from = performance.now()
  const answered: Promise<void>[] = []
  for (let number = 0; number < rate * seconds; number++) {
    const dueAt = from + (number * 1_000) / rate
    await sleep(Math.max(0, dueAt - performance.now()))
    answered.push(measure(requestOf(number), dueAt))
  }
  await Promise.all(answered)
  return { latencies, failed }
}
