/**
 * Serves the documentation of this version, from memory once someone has asked for it. The build keeps only the compressed form of its
 * files, which every browser takes.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { failedBuild, type Files } from '../../base/shipped-files.ts'
import { matchesEtag } from '../etag.ts'
import type { Answer } from '../server.ts'
import { accepts, assertRead, documentHeaders, fileTypes, hashedFileHeaders } from './static-files.ts'

const prefix = '/docs/'
const ending = '.gz'
/** Pages that have no address: what the others are not. */
const missing = `${prefix}404`
const unzip = promisify(gunzip)

interface DocFile {
  readonly compressed: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
}

/** Returns the address of a file: a page has no ending, and that of a folder is the folder. */
function addressOf(name: string): string {
  return prefix + name.replace(/(?:(^|\/)index)?\.html$/, '$1')
}

function fileOf(name: string, compressed: Buffer, publicUrl: string): DocFile {
  // Weak, because the two codings share it.
  const etag = `W/"${createHash('sha256').update(compressed).digest('base64url')}"`
  const type = fileTypes[path.extname(name)] ?? 'text/plain; charset=utf-8'
  const forPages = name.endsWith('.html') ? documentHeaders(publicUrl) : {}
  // All versions of a page have the same address, so each use asks whether it has changed.
  const cache = name.startsWith('assets/') ? {} : { etag, 'cache-control': 'public, no-cache' }
  return { compressed, etag, headers: { ...hashedFileHeaders, ...forPages, ...cache, 'content-type': type } }
}

function load(files: Files, publicUrl: string): ReadonlyMap<string, DocFile> {
  const names = files.names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
  return new Map(names.map((name) => [addressOf(name), fileOf(name, files.read(name + ending), publicUrl)]))
}

/** Returns the page that a checkout shows before its documentation is built. A browser loads it again every few seconds. */
function withoutDocs(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<h1>${title}</h1>
<p>${text} This page then shows it by itself.</p>
<p>Until then, the folder <code>docs</code> of the checkout has the same pages as Markdown.</p>
</html>
`
}

const notBuilt = withoutDocs(
  'The documentation is being built',
  `In a checkout, <code>npm start</code> builds it beside the service, in about half a minute.
If you started the service in another way, or if it takes longer, run <code>npm run build -- docs</code> in the checkout.`,
)
const failed = withoutDocs(
  'The documentation could not be built',
  'Run <code>npm run build -- docs</code> in the checkout: it builds it, or says why that fails.',
)
const retrySec = '3'

/** Returns the answer that serves the documentation. `files` returns the output of its build. */
export function documentation(files: () => Files, publicUrl: string): Answer {
  let loaded: ReadonlyMap<string, DocFile> = new Map()
  return async ({ url = '', method, headers }, response) => {
    assertRead(method)
    const current = loaded.size === 0 ? files() : undefined
    if (current) loaded = load(current, publicUrl)
    if (current && loaded.size === 0) {
      const again = { 'cache-control': 'no-store', refresh: retrySec }
      response
        .writeHead(404, { ...documentHeaders(publicUrl), ...again })
        .end(current.names.includes(failedBuild) ? failed : notBuilt)
      return
    }
    const [address = ''] = url.split('?', 1)
    if (!loaded.has(address) && loaded.has(`${address}/`)) {
      response.writeHead(308, { location: `${address}/` }).end()
      return
    }
    const file = loaded.get(address) ?? loaded.get(missing)
    if (!file) throw new Error('the build of the documentation has no page for what does not exist (expected 404.html)')
    if (matchesEtag(headers['if-none-match'], file.etag)) {
      response.writeHead(304, file.headers).end()
      return
    }
    const isCompressed = accepts(headers['accept-encoding'], 'gzip')
    const body = isCompressed ? file.compressed : await unzip(file.compressed)
    const status = loaded.has(address) && address !== missing ? 200 : 404
    const coding = isCompressed ? { 'content-encoding': 'gzip' } : {}
    response.writeHead(status, { ...file.headers, ...coding, 'content-length': body.length }).end(body)
  }
}
