/** Conditional requests (RFC 9110, section 13). */

function opaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//, '')
}

/** Returns whether an If-None-Match header names the tag. Compares weakly (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim() === '*' || opaqueTag(tag) === opaqueTag(etag)) ?? false
}
