/**
 * Serves the built files of the web application, from memory once someone has asked for one, so that a later build does not mix with them.
 * A service without people never reads them. Every path gets the same document.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { ApiError } from '../../base/api-error.ts'
import type { Files } from '../../base/shipped-files.ts'
import type { Answer } from '../server.ts'
import { accepts, assertRead, documentHeaders, fileTypes, hashedFileHeaders } from './static-files.ts'

const noncePlaceholder = '__CSP_NONCE__'
const nonceBytes = 16

/** Content codings that the build produced, best first: the name in HTTP and the file extension. */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Returns the files whose names contain a hash of their contents, by path. */
function readAssets(files: Files): ReadonlyMap<string, Buffer> {
  const names = files.names.filter((name) => name.startsWith('assets/'))
  return new Map(names.map((name) => [`/${name}`, files.read(name)]))
}

function serveAssets(assetsOf: () => ReadonlyMap<string, Buffer>): Answer {
  return ({ url = '', method, headers }, response) => {
    const assets = assetsOf()
    const [assetPath = ''] = url.split('?', 1)
    const type = fileTypes[path.extname(assetPath)]
    const plain = assets.get(assetPath)
    if (!plain || type === undefined) throw new ApiError('NOT_FOUND')
    assertRead(method)
    const [coding, ending] =
      codings.find(([name, end]) => accepts(headers['accept-encoding'], name) && assets.has(assetPath + end)) ?? []
    const body = ending === undefined ? plain : (assets.get(assetPath + ending) ?? plain)
    response.writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      ...hashedFileHeaders,
      ...(coding !== undefined && { 'content-encoding': coding }),
    })
    response.end(body)
  }
}

interface Build {
  readonly html: string
  readonly assets: ReadonlyMap<string, Buffer>
}

/** Throws NOT_FOUND with what to do if there is no build. */
function readBuild(files: Files): Build {
  if (!files.names.includes('index.html'))
    throw new ApiError('NOT_FOUND', 'The web application is not built: run npm run build.')
  return { html: files.read('index.html').toString(), assets: readAssets(files) }
}

/** Returns the answers that serve the web application. `files` returns the output of its build. */
export function webApplication(files: () => Files, publicUrl: string): { document: Answer; assets: Answer } {
  let loaded: Build | undefined
  const load = (): Build => (loaded ??= readBuild(files()))
  return {
    document: (_, response) => {
      const { html } = load()
      const nonce = randomBytes(nonceBytes).toString('base64')
      response.writeHead(200, { ...documentHeaders(publicUrl, nonce), 'cache-control': 'no-store' })
      response.end(html.replaceAll(noncePlaceholder, nonce))
    },
    assets: serveAssets(() => load().assets),
  }
}
