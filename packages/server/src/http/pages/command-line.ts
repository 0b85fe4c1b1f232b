/**
 * Serves the built command-line client, one file for Node, from memory. People without a checkout download it and get the
 * version of their service. A second path serves its SHA-256 in the form that `sha256sum -c` reads.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../base/api-error.ts'
import type { Files } from '../../base/shipped-files.ts'
import { matchesEtag } from '../etag.ts'
import type { Answer, Pages } from '../server.ts'
import { assertRead } from './static-files.ts'

const builtName = 'rollkey.js'
const name = 'rollkey.mjs'

function notBuilt(): never {
  throw new ApiError('NOT_FOUND', 'The command-line client is not built: run npm run build, then restart the service.')
}

function serve(content: Buffer, headers: Readonly<Record<string, string>>, etag: string): Answer {
  return ({ method, headers: requestHeaders }, response) => {
    assertRead(method)
    // All versions have the same URL, so each use asks whether the file has changed.
    const common = { etag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' }
    if (matchesEtag(requestHeaders['if-none-match'], etag)) response.writeHead(304, common).end()
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
