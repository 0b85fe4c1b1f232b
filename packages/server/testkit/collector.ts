/** A collector of OpenTelemetry, which takes what the JSON of OTLP for spans allows and nothing else. */
import { z } from 'zod'
import type { TestClock } from './clock.ts'
import { FakeServer, type FakeServerRequest, type Reply } from './fake-server.ts'
import { pause } from './pause.ts'

const hex = (length: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${length}}$`))
const nanoseconds = z.string().regex(/^[1-9]\d{18}$/)
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d{1,18}$/) }),
])
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value }))
  .refine((all) => new Set(all.map(({ key }) => key)).size === all.length)
const span = z
  .strictObject({
    traceId: hex(32),
    spanId: hex(16),
    parentSpanId: hex(16).optional(),
    name: z.string().min(1),
    kind: z.literal([1, 2, 3]),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    status: z.strictObject({ code: z.literal(2).optional() }),
  })
  .refine(({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano))
const scopeSpans = z.strictObject({
  scope: z.strictObject({ name: z.string(), version: z.string() }),
  spans: z.array(span).min(1),
})
const request = z.strictObject({
  resourceSpans: z.tuple([
    z.strictObject({ resource: z.strictObject({ attributes }), scopeSpans: z.tuple([scopeSpans]) }),
  ]),
})

type EncodedAttributes = z.output<typeof attributes>

export interface CollectedSpan {
  readonly traceId: string
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 1 | 2 | 3
  readonly attributes: Readonly<Record<string, string>>
  readonly hasFailed: boolean
}

function decode(encoded: EncodedAttributes): Record<string, string> {
  return Object.fromEntries(encoded.map(({ key, value: it }) => [key, 'intValue' in it ? it.intValue : it.stringValue]))
}

export class Collector extends FakeServer {
  readonly spans: CollectedSpan[] = []
  resource: Readonly<Record<string, string>> = {}

  /** All bodies that were sent. */
  get text(): string {
    return this.requests.map(({ body }) => body).join('\n')
  }

  protected take({ method, path, headers, body }: FakeServerRequest): Reply {
    if (method !== 'POST' || path !== '/v1/traces' || headers['content-type'] !== 'application/json')
      return { status: 404 }
    const parsed = request.safeParse(JSON.parse(body))
    if (!parsed.success) return { status: 400, body: z.prettifyError(parsed.error) }
    const [{ resource, scopeSpans: scopes }] = parsed.data.resourceSpans
    this.resource = decode(resource.attributes)
    for (const { spanId: id, parentSpanId: parentId, status, ...each } of scopes[0].spans)
      this.spans.push({
        ...each,
        id,
        parentId,
        attributes: decode(each.attributes),
        hasFailed: status.code !== undefined,
      })
    return { status: 200, body: {} }
  }

  /** Has a service send what it recorded, up to the request of a trace. Returns the spans so far. */
  async spansUpTo(traceId: string, clock: TestClock): Promise<readonly CollectedSpan[]> {
    while (!this.spans.some((each) => each.kind === 2 && each.traceId === traceId)) {
      clock.doPeriodicWork()
      await pause(10)
    }
    return this.spans
  }
}

/** Starts a collector, which ends with the process of the tests. */
export async function startCollector(): Promise<Collector> {
  const collector = new Collector()
  await collector.start()
  return collector
}
