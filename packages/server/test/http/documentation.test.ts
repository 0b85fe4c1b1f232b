import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { gzipSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { failedBuild, filesIn } from '../../src/base/shipped-files.ts'
import { documentation } from '../../src/http/pages/documentation.ts'
import { HttpServer } from '../../src/http/server.ts'
import { useFolder } from '../../testkit/folder.ts'

const folder = useFolder()
const built = path.join(folder, 'built')
let server: HttpServer

const files = {
  'index.html': 'first page',
  '404.html': 'no such page',
  'keys.html': 'keys',
  'ci/index.html': 'jobs',
  'assets/a.1.js': 'script',
  'favicon.svg': '<svg/>',
  'files/deploy/Caddyfile': 'respond',
}

function write(): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(built, name)), { recursive: true })
    writeFileSync(path.join(built, `${name}.gz`), gzipSync(text))
  }
}

beforeAll(write)
afterEach(() => server.drain(0))

async function start(from = built, publicUrl = 'http://localhost:8787'): Promise<string> {
  server = new HttpServer(createLog('silent'))
  const docs = documentation(() => filesIn(from), publicUrl)
  const nothing = (): void => {}
  const port = await server.listen('127.0.0.1', 0)
  server.open({ pages: { '/docs': docs, '/docs/': docs }, document: nothing, api: nothing })
  return `http://127.0.0.1:${port}`
}

describe('the documentation', () => {
  test.each([
    ['/docs/', 200, 'text/html; charset=utf-8', 'first page'],
    ['/docs', 200, 'text/html; charset=utf-8', 'first page'],
    ['/docs/keys?from=mail', 200, 'text/html; charset=utf-8', 'keys'],
    ['/docs/ci/', 200, 'text/html; charset=utf-8', 'jobs'],
    ['/docs/ci', 200, 'text/html; charset=utf-8', 'jobs'],
    ['/docs/assets/a.1.js', 200, 'text/javascript; charset=utf-8', 'script'],
    ['/docs/favicon.svg', 200, 'image/svg+xml', '<svg/>'],
    ['/docs/files/deploy/Caddyfile', 200, 'text/plain; charset=utf-8', 'respond'],
    ['/docs/nothing', 404, 'text/html; charset=utf-8', 'no such page'],
    ['/docs/404', 404, 'text/html; charset=utf-8', 'no such page'],
    ['/docs/keys.html', 404, 'text/html; charset=utf-8', 'no such page'],
    ['/docs/..%2F404', 404, 'text/html; charset=utf-8', 'no such page'],
  ])('answers %s with %i', async (at, status, type, text) => {
    const answer = await fetch((await start()) + at)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([status, type, text])
  })

  test('is compressed for clients that accept it, and plain for others', async () => {
    const { hostname, port } = new URL(await start())
    const ask = (headers: Record<string, string>) =>
      new Promise<[string | undefined, Buffer]>((resolve, reject) => {
        const outgoing = request({ hostname, port, path: '/docs/keys', headers }, async (answer) => {
          const parts: Buffer[] = []
          for await (const part of answer) parts.push(part as Buffer)
          resolve([answer.headers['content-encoding'], Buffer.concat(parts)])
        })
        outgoing.on('error', reject)
        outgoing.end()
      })
    const [coding, body] = await ask({ 'accept-encoding': 'br, gzip' })
    expect([coding, gunzipSync(body).toString()]).toEqual(['gzip', 'keys'])
    const [plain, text] = await ask({})
    expect([plain, text.toString()]).toEqual([undefined, 'keys'])
  })

  test('allows its pages only its own scripts and styles, and no other host', async () => {
    const answer = await fetch(`${await start(built, 'https://rollkey.example')}/docs/keys`)
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;")
    expect(policy).not.toContain('unsafe')
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  test('answers 304 for a page that the client has, and lets it keep what has a hash in its name', async () => {
    const url = await start()
    const page = await fetch(`${url}/docs/keys`)
    expect(page.headers.get('cache-control')).toBe('public, no-cache')
    const etag = page.headers.get('etag') ?? ''
    expect((await fetch(`${url}/docs/keys`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await fetch(`${url}/docs/ci/`, { headers: { 'if-none-match': etag } })).status).toBe(200)
    const script = await fetch(`${url}/docs/assets/a.1.js`)
    expect(script.headers.get('cache-control')).toContain('immutable')
  })

  test('allows only GET and HEAD', async () => {
    const url = await start()
    const refused = await fetch(`${url}/docs/keys`, { method: 'POST', body: 'x' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(`${url}/docs/keys`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('says how to build it, loads again, and is there once it is built', async () => {
    const later = path.join(folder, 'later')
    const url = await start(later)
    const answer = await fetch(`${url}/docs/keys`)
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('npm run build -- docs')])
    expect(answer.headers.get('refresh')).toBe('3')
    mkdirSync(later)
    writeFileSync(path.join(later, failedBuild), '')
    const failed = await fetch(`${url}/docs/keys`)
    const text = await failed.text()
    expect([failed.status, failed.headers.get('refresh')]).toEqual([404, '3'])
    expect(text).toMatch(/could not be built[^]+npm run build -- docs/)
    expect(text).not.toContain('being built')
    writeFileSync(path.join(later, 'keys.html.gz'), gzipSync('keys'))
    expect(await (await fetch(`${url}/docs/keys`)).text()).toBe('keys')
  })
})
