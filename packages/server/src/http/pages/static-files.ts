/** What the built files that the service serves have in common: types, headers, policy. */
import { ApiError } from '../../base/api-error.ts'

const yearSec = 365 * 24 * 60 * 60

/** Types of files, by the endings of their names. */
export const fileTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Headers of a file whose name contains a hash of its contents. */
export const hashedFileHeaders = {
  'cache-control': `public, max-age=${yearSec}, immutable`,
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
} as const

/**
 * Returns the policy (Content Security Policy 3) of a document, which allows only the scripts and styles of this service. Styles that
 * scripts create at run time carry the nonce; absent: there are none.
 */
export function contentSecurityPolicy(nonce?: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Returns the headers of a document, without those of its cache. */
export function documentHeaders(publicUrl: string, nonce?: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${yearSec}` }),
  }
}

/** Returns whether an Accept-Encoding header (RFC 9110, section 12.5.3) accepts the coding. */
export function accepts(header: string | undefined, coding: string): boolean {
  const listed = header?.split(',').find((part) => part.split(';', 1)[0]?.trim() === coding)
  return listed !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(listed)
}

/** Throws METHOD_NOT_ALLOWED for a request that does not only read. */
export function assertRead(method: string | undefined): void {
  if (method !== 'GET' && method !== 'HEAD') throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' })
}
