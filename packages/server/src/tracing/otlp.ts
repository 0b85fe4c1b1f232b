/** The JSON of OTLP for spans: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>. */

type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  readonly traceId: string
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  /** Unix time in milliseconds, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

/** The service that spans are about. */
export interface Source {
  readonly resource: Attributes
  readonly version: string
}

const kinds = { internal: 1, server: 2, client: 3 } as const
const failed = 2

function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    // 64-bit integers are texts in the JSON of Protocol Buffers.
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
}

/** Returns a time in nanoseconds. A number has no more than the microseconds. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}

function encodeSpan({ traceId, id, parentId, name, kind, startMs, endMs, attributes, hasFailed }: Span): object {
  return {
    traceId,
    spanId: id,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: encodeAttributes(attributes),
    status: hasFailed ? { code: failed } : {},
  }
}

export function encodeSpans({ resource, version }: Source, spans: readonly Span[]): object {
  const scope = { name: 'rollkey', version }
  return {
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map((span) => encodeSpan(span)) }],
      },
    ],
  }
}
