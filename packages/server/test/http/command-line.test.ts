import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '../../src/base/log.ts'
import { filesIn } from '../../src/base/shipped-files.ts'
import { commandLinePages } from '../../src/http/pages/command-line.ts'
import { HttpServer } from '../../src/http/server.ts'
import { startTestApp } from '../../testkit/app.ts'
import { useFolder } from '../../testkit/folder.ts'

const folder = useFolder()
const file = path.join(folder, 'rollkey.js')
let server: HttpServer | undefined

afterEach(async () => {
  await server?.drain(0)
  server = undefined
})

async function start(from: string): Promise<string> {
  server = new HttpServer(createLog('silent'))
  const port = await server.listen('127.0.0.1', 0)
  const nothing = (): void => {}
  server.open({ pages: commandLinePages(() => filesIn(from)), document: nothing, api: nothing })
  return `http://127.0.0.1:${port}/cli/rollkey.mjs`
}

test('serves the file and its checksum as they were when someone first asked for one', async () => {
  const sum = createHash('sha256').update('console.log(1)').digest('hex')
  const url = await start(folder)
  writeFileSync(file, 'console.log(1)')
  const answer = await fetch(url)
  writeFileSync(file, 'other')
  expect(await answer.text()).toBe('console.log(1)')
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-disposition': 'attachment; filename="rollkey.mjs"',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, no-cache',
    'content-length': '14',
    etag: `"${sum}"`,
  })
  const beside = await fetch(`${url}.sha256`)
  expect(beside.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await beside.text()).toBe(`${sum}  rollkey.mjs\n`)
})

test('answers 304 for a file that the client has, and allows only GET and HEAD', async () => {
  writeFileSync(file, 'x')
  const url = await start(folder)
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  for (const tags of [etag, `W/${etag}`, `"a", ${etag}`]) {
    expect((await fetch(url, { headers: { 'if-none-match': tags } })).status).toBe(304)
  }
  expect((await fetch(url, { headers: { 'if-none-match': '"a"' } })).status).toBe(200)
  expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('')
  const refused = await fetch(url, { method: 'POST', body: 'x' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('answers 404 with instructions if the client is not built', async () => {
  const url = await start(path.join(folder, 'none'))
  for (const address of [url, `${url}.sha256`]) {
    const answer = await fetch(address)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('npm run build')
  }
})

test('the downloaded command-line client runs outside the repository', async () => {
  const app = await startTestApp()
  const answer = await fetch(`${app.url}/cli/rollkey.mjs`)
  const alone = path.join(folder, 'rollkey.mjs')
  writeFileSync(alone, Buffer.from(await answer.arrayBuffer()))
  writeFileSync(path.join(folder, 'sum'), await (await fetch(`${app.url}/cli/rollkey.mjs.sha256`)).text())
  expect(execFileSync('sha256sum', ['-c', 'sum'], { cwd: folder }).toString()).toBe('rollkey.mjs: OK\n')
  const options = { cwd: folder, env: { ROLLKEY_CONFIG_DIR: folder, ROLLKEY_URL: app.url } }
  const printed = execFileSync(process.execPath, [alone, 'config'], options).toString()
  expect(printed).toContain(`url\t${app.url}\tenvironment ROLLKEY_URL`)
})
