import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { filesIn } from '../../src/base/shipped-files.ts'
import { HttpServer } from '../../src/http/server.ts'
import { webApplication } from '../../src/http/pages/web-application.ts'
import { useFolder } from '../../testkit/folder.ts'

const folder = useFolder()
let server: HttpServer

beforeAll(() => {
  mkdirSync(path.join(folder, 'assets'))
  writeFileSync(path.join(folder, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__">')
  writeFileSync(path.join(folder, 'assets/a-1.js'), 'plain')
  writeFileSync(path.join(folder, 'assets/a-1.js.br'), brotliCompressSync('of brotli'))
  writeFileSync(path.join(folder, 'assets/a-1.js.gz'), gzipSync('of gzip'))
  writeFileSync(path.join(folder, 'assets/a-1.svg'), '<svg/>')
  writeFileSync(path.join(folder, 'assets/a-1.png'), 'of png')
  writeFileSync(path.join(folder, 'assets/a-1.woff2'), 'of a font')
})
afterEach(() => server.drain(0))

async function start(publicUrl = 'http://localhost:8787', from = folder): Promise<string> {
  server = new HttpServer(createLog('silent'))
  const { document, assets } = webApplication(() => filesIn(from), publicUrl)
  const port = await server.listen('127.0.0.1', 0)
  server.open({ pages: { '/assets/': assets }, document, api: (_, response) => void response.end() })
  return `http://127.0.0.1:${port}`
}

const html = { accept: 'text/html' }

describe('the document', () => {
  test('allows only its own scripts, with a new nonce in each policy', async () => {
    const url = await start()
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const answer = await fetch(`${url}/device`, { headers: html })
        const policy = answer.headers.get('content-security-policy') ?? ''
        expect(policy).toContain("default-src 'none'; script-src 'self';")
        expect(policy).not.toContain('unsafe')
        const [, nonce = ''] = /content="([^"]+)"/.exec(await answer.text()) ?? []
        expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(Buffer.from(nonces[0] ?? '', 'base64')).toHaveLength(16)
  })

  test('sends Strict-Transport-Security only if the public URL is https', async () => {
    const secure = await fetch(`${await start('https://rollkey.example')}/`, { headers: html })
    expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000')
    await server.drain(0)
    const local = await fetch(`${await start()}/`, { headers: html })
    expect(local.headers.get('strict-transport-security')).toBeNull()
  })

  test('answers with instructions if it is not built', async () => {
    const answer = await fetch(`${await start(undefined, path.join(folder, 'none'))}/`, { headers: html })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('npm run build')
  })
})

describe('an asset', () => {
  test.each([
    ['br, gzip', 'br', 'of brotli'],
    ['gzip, deflate, br;q=0', 'gzip', 'of gzip'],
    ['gzip;q=0.5', 'gzip', 'of gzip'],
    ['identity', null, 'plain'],
    ['xbr', null, 'plain'],
  ])('is encoded for "%s" as %s', async (accepted, coding, text) => {
    const answer = await fetch(`${await start()}/assets/a-1.js`, { headers: { 'accept-encoding': accepted } })
    expect(answer.headers.get('content-encoding')).toBe(coding)
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(await answer.text()).toBe(text)
  })

  test('is not encoded if the build has no compressed file', async () => {
    const answer = await fetch(`${await start()}/assets/a-1.svg`)
    expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([null, '<svg/>'])
  })

  test.each([
    ['svg', 'image/svg+xml'],
    ['png', 'image/png'],
    ['woff2', 'font/woff2'],
  ])('of the kind %s has the type %s', async (extension, type) => {
    const answer = await fetch(`${await start()}/assets/a-1.${extension}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
  })

  test('is still served after its file was deleted, to those who have the document', async () => {
    const url = await start()
    await fetch(url, { headers: html })
    rmSync(path.join(folder, 'assets/a-1.svg'))
    expect((await fetch(`${url}/assets/a-1.svg`)).status).toBe(200)
    writeFileSync(path.join(folder, 'assets/a-1.svg'), '<svg/>')
  })

  test.each(['/assets/', '/assets/b.js', '/assets/a-1.js.br', '/assets/..%2findex.html'])(
    '%s does not exist',
    async (at) => {
      expect((await fetch((await start()) + at)).status).toBe(404)
    },
  )

  test('allows only GET and HEAD', async () => {
    const answer = await fetch(`${await start()}/assets/a-1.js`, { method: 'POST', body: 'x' })
    expect(answer.status).toBe(405)
  })
})
