function isId(text: string | undefined): boolean {
  return text !== undefined && !/^0+$/.test(text)
}

/** Returns the trace id of a `traceparent` header (W3C Trace Context, section 3.2); undefined if there is none or it is malformed. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId, parentId, rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/.exec(header) ?? []
  if (version === 'ff' || !isId(traceId) || !isId(parentId)) return undefined
  // A later version may have more parts.
  return version === '00' && rest !== '' ? undefined : traceId
}
