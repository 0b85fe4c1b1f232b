/**
 * Serves the built command-line client, one file for Node, from memory. People without a checkout download it and get the
 * version of their service. A second path serves its SHA-256 in the form that `sha256sum -c` reads.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../base/api-error.ts'
import type { Files } from '../../base/shipped-files.ts'
import type { Answer, Pages } from '../server.ts'

const builtName = 'rollkey.js'
const name = 'rollkey.mjs'

function notBuilt(): never {
  throw new ApiError('NOT_FOUND', 'The command-line client is not built: run npm run build, then restart the service.')
}

/**
 * Returns whether an If-None-Match header (RFC 9110, section 13.1.2) contains the tag. Compares weakly, because a proxy that
 * compresses makes the tag weak.
 */
function hasTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((part) => part.trim().replace(/^W\//, '') === etag) ?? false
}

function serve(content: Buffer, headers: Readonly<Record<string, string>>, etag: string): Answer {
  return ({ method, headers: requestHeaders }, response) => {
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('METHOD_NOT_ALLOWED', undefined, { allow: 'GET, HEAD' })
    // All versions have the same URL, so each use asks whether the file has changed.
    const common = { etag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' }
    if (hasTag(requestHeaders['if-none-match'], etag)) response.writeHead(304, common).end()
    else response.writeHead(200, { ...common, ...headers, 'content-length': content.length }).end(content)
  }
}

/** Returns the pages that serve the client. `files`: the output of its build. */
export function commandLinePages(files: Files): Pages {
  const isBuilt = files.names.includes(builtName)
  const content = isBuilt ? files.read(builtName) : Buffer.alloc(0)
  const sum = createHash('sha256').update(content).digest('hex')
  const etag = `"${sum}"`
  const script = {
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    // Pages of other sites must not load it as a script.
    'cross-origin-resource-policy': 'same-origin',
  }
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  return {
    [`/cli/${name}`]: isBuilt ? serve(content, script, etag) : notBuilt,
    [`/cli/${name}.sha256`]: isBuilt ? serve(Buffer.from(`${sum}  ${name}\n`), plain, etag) : notBuilt,
  }
}
