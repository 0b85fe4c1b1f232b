/**
 * Serves the built files of the web application from memory, so a new build does not affect a running service. Every path
 * gets the same document. Its policy (Content Security Policy 3) allows only the scripts and styles of this service.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { ApiError } from '../../base/api-error.ts'
import type { Files } from '../../base/shipped-files.ts'
import type { Answer } from '../server.ts'

const yearSec = 365 * 24 * 60 * 60
const noncePlaceholder = '__CSP_NONCE__'
const nonceBytes = 16

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** Content codings that the build produced, best first: the name in HTTP and the file extension. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Returns the policy of a document whose run-time styles carry the nonce. */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Styles that scripts create at run time carry the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function documentHeaders(nonce: string, publicUrl: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
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

/** Returns the files whose names contain a hash of their contents, by path. */
function readAssets(files: Files): ReadonlyMap<string, Buffer> {
  const names = files.names.filter((name) => name.startsWith('assets/'))
  return new Map(names.map((name) => [`/${name}`, files.read(name)]))
}

/** Returns whether an Accept-Encoding header (RFC 9110, section 12.5.3) accepts the coding. */
function accepts(header: string | undefined, coding: string): boolean {
  const listed = header?.split(',').find((part) => part.split(';', 1)[0]?.trim() === coding)
  return listed !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(listed)
}

function serveAssets(assets: ReadonlyMap<string, Buffer>): Answer {
  return ({ url = '', method, headers }, response) => {
    const [assetPath = ''] = url.split('?', 1)
    const type = types[path.extname(assetPath)]
    const plain = assets.get(assetPath)
    if (!plain || type === undefined) throw new ApiError('NOT_FOUND')
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' })
    const [coding, ending] =
      codings.find(([name, end]) => accepts(headers['accept-encoding'], name) && assets.has(assetPath + end)) ?? []
    const body = ending === undefined ? plain : (assets.get(assetPath + ending) ?? plain)
    response.writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': `public, max-age=${yearSec}, immutable`,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(coding !== undefined && { 'content-encoding': coding }),
    })
    response.end(body)
  }
}

function notBuilt(): never {
  throw new ApiError('NOT_FOUND', 'The web application is not built: run npm run build, then restart the service.')
}

/** Returns the answers that serve the web application. `files`: the output of its build. */
export function webApplication(files: Files, publicUrl: string): { document: Answer; assets: Answer } {
  if (!files.names.includes('index.html')) return { document: notBuilt, assets: notBuilt }
  const html = files.read('index.html').toString()
  return {
    document: (_, response) => {
      const nonce = randomBytes(nonceBytes).toString('base64')
      response.writeHead(200, documentHeaders(nonce, publicUrl)).end(html.replaceAll(noncePlaceholder, nonce))
    },
    assets: serveAssets(readAssets(files)),
  }
}
