/** The caller's trace, as its `traceparent` header names it (W3C Trace Context, section 3.2). */
export interface TraceParent {
  readonly traceId: string
  readonly parentId: string
  /** Whether the caller records the trace. */
  readonly isSampled: boolean
}

function isId(text: string): boolean {
  return /[^0]/.test(text)
}

/** Returns what a `traceparent` header says; undefined if there is none or it is malformed. */
export function traceParentOf(header: string | string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', parentId = '', flags = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header) ?? []
  if (version === 'ff' || !isId(traceId) || !isId(parentId)) return undefined
  // A later version may have more parts.
  if (version === '00' && rest !== '') return undefined
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Returns the trace id of a `traceparent` header, for the log. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  return traceParentOf(header)?.traceId
}
