/**
 * Serves the built command-line client, one file for Node, from memory once someone has asked for it. People without a checkout download it
 * and get the version of their service. A second path serves its SHA-256 in the form that `sha256sum -c` reads.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '../../base/api-error.ts'
import type { Files } from '../../base/shipped-files.ts'
import { matchesEtag } from '../etag.ts'
import type { Answer, Pages } from '../server.ts'
import { assertRead } from './static-files.ts'

const builtName = 'rollkey.js'
const name = 'rollkey.mjs'

interface Client {
  readonly content: Buffer
  readonly sum: string
}

/** Throws NOT_FOUND with what to do if there is no build. */
function readClient(files: Files): Client {
  if (!files.names.includes(builtName))
    throw new ApiError('NOT_FOUND', 'The command-line client is not built: run npm run build.')
  const content = files.read(builtName)
  return { content, sum: createHash('sha256').update(content).digest('hex') }
}

/** Returns the pages that serve the client. `files` returns the output of its build. */
export function commandLinePages(files: () => Files): Pages {
  let loaded: Client | undefined
  const serve =
    (headers: Readonly<Record<string, string>>, contentOf: (client: Client) => Buffer): Answer =>
    ({ method, headers: requestHeaders }, response) => {
      loaded ??= readClient(files())
      assertRead(method)
      const etag = `"${loaded.sum}"`
      // All versions have the same URL, so each use asks whether the file has changed.
      const common = { etag, 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' }
      if (matchesEtag(requestHeaders['if-none-match'], etag)) return void response.writeHead(304, common).end()
      const content = contentOf(loaded)
      response.writeHead(200, { ...common, ...headers, 'content-length': content.length }).end(content)
    }
  const script = {
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    // Pages of other sites must not load it as a script.
    'cross-origin-resource-policy': 'same-origin',
  }
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  return {
    [`/cli/${name}`]: serve(script, ({ content }) => content),
    [`/cli/${name}.sha256`]: serve(plain, ({ sum }) => Buffer.from(`${sum}  ${name}\n`)),
  }
}
