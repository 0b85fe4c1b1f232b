/**
 * The files of the web application, as its build made them. The document is the same for every path; its policy (Content
 * Security Policy 3) lets in this service's own scripts and styles and nothing else.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import sirv from 'sirv'
import { Fault } from '../base/fault.ts'
import type { Answer } from './server.ts'

const yearSec = 365 * 24 * 60 * 60
const noncePlace = '__CSP_NONCE__'
const nonceBytes = 16

function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Styles that are made while the page runs carry the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function headersFor(nonce: string, publicUrl: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${yearSec}` }),
  }
}

function notBuilt(): never {
  throw new Fault('NOT_FOUND', 'The web application is not built: run npm run build, then start again.')
}

/** `folder`: where the build is. */
export function webApplication(folder: string, publicUrl: string): { document: Answer; assets: Answer } {
  const index = path.join(folder, 'index.html')
  if (!existsSync(index)) return { document: notBuilt, assets: notBuilt }
  const html = readFileSync(index, 'utf8')
  const serve = sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    maxAge: yearSec, // the names of the files change with their contents
    setHeaders: (response) => response.setHeader('x-content-type-options', 'nosniff'),
  })
  return {
    document: (_, response) => {
      const nonce = randomBytes(nonceBytes).toString('base64')
      response.writeHead(200, headersFor(nonce, publicUrl)).end(html.replaceAll(noncePlace, nonce))
    },
    assets: (request, response) =>
      serve(request, response, () => {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n')
      }),
  }
}
