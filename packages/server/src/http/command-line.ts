/**
 * The command line as the build made it, one file for Node, in memory: for people without a checkout, as long as they run the
 * version of their service. Beside it is its SHA-256 in the form that `sha256sum -c` reads.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { ApiError } from '../base/api-error.ts'
import type { Answer, Pages } from './server.ts'

const name = 'rollkey.mjs'

function notBuilt(): never {
  throw new ApiError('NOT_FOUND', 'The command line is not built: run npm run build, then start again.')
}

/** Whether an If-None-Match header (RFC 9110, section 13.1.2) has the tag; a proxy that compresses makes it a weak one. */
function hasTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((part) => part.trim().replace(/^W\//, '') === etag) ?? false
}

function serve(content: Buffer, headers: Readonly<Record<string, string>>, etag: string): Answer {
  return ({ method, headers: asked }, response) => {
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' })
    // The address stays over versions, so that each use asks whether the file is still the same.
    const common = { etag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' }
    if (hasTag(asked['if-none-match'], etag)) response.writeHead(304, common).end()
    else response.writeHead(200, { ...common, ...headers, 'content-length': content.length }).end(content)
  }
}

/** `file`: what the build made. */
export function commandLinePages(file: string): Pages {
  const isBuilt = existsSync(file)
  const content = isBuilt ? readFileSync(file) : Buffer.alloc(0)
  const sum = createHash('sha256').update(content).digest('hex')
  const etag = `"${sum}"`
  const script = {
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    // A page of another site has nothing to do with it as a script.
    'cross-origin-resource-policy': 'same-origin',
  }
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  return {
    [`/cli/${name}`]: isBuilt ? serve(content, script, etag) : notBuilt,
    [`/cli/${name}.sha256`]: isBuilt ? serve(Buffer.from(`${sum}  ${name}\n`), plain, etag) : notBuilt,
  }
}
