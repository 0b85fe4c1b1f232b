/** Host names at which pages are served. DNS rebinding points a foreign name at the address of the service. */
import { chmodSync, statSync } from 'node:fs'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import nodePath from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { warnOfGaps } from '../../src/compose/people.ts'
import type { Platform } from '../../src/compose/platform.ts'
import { createLog } from '../../src/base/log.ts'
import { atOwnHost } from '../../src/http/pages/own-host.ts'
import { createDataDirectory } from '../../src/storage/data-directory.ts'
import { launchTestApp } from '../../testkit/app.ts'
import { useFixture } from '../../testkit/fixture.ts'
import { temporaryFolder } from '../../testkit/folder.ts'

interface Seen {
  readonly status: number
  readonly text: string
}

const app = useFixture(() => launchTestApp({ PUBLIC_URL: 'https://rollkey.example' }))

/** Sends a request with any Host header. fetch would send the host of the URL. */
function ask(path: string, host: string, accept = 'text/html'): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${app.url}${path}`, { headers: { host, accept } }, (response) => {
      let text = ''
      response.on('data', (data: Buffer) => (text += data.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const pages = ['/', '/device', '/assets/x.js', '/docs', '/docs/keys', '/identity/get-session']

describe('a page', () => {
  test.each(pages)('%s is refused at a foreign host with an explanation', async (path) => {
    for (const host of [
      'evil.example',
      'rollkey.example.evil.example',
      'localhost.evil.example:8787',
      '192.0.2.1',
      '::',
    ]) {
      const { status, text } = await ask(path, host)
      expect([host, status]).toEqual([host, 421])
      expect(JSON.parse(text)).toMatchObject({
        error: {
          code: 'INVALID_REQUEST',
          message: expect.stringMatching(/^This page is served at https:\/\/rollkey\.example, .+ ROLLKEY_PUBLIC_URL /),
        },
      })
      expect(text).not.toContain('evil')
    }
  })

  test.each(pages)('%s is served at its own host and, on loopback, at loopback names too', async (path) => {
    const hosts = [
      'rollkey.example',
      'ROLLKEY.example:443',
      'rollkey.example:8443',
      'localhost:1',
      '127.0.0.1',
      '[::1]:1',
    ]
    for (const host of hosts) expect([host, (await ask(path, host)).status]).not.toEqual([host, 421])
  })

  test('is served at loopback names only on loopback connections', async () => {
    let served = 0
    const page = atOwnHost('https://rollkey.example', () => void served++)
    const statusAt = async (localAddress: string): Promise<number> => {
      const incoming = Object.assign(new IncomingMessage(new Socket()), { headers: { host: 'localhost' } })
      Object.defineProperty(incoming.socket, 'localAddress', { value: localAddress })
      const response = new ServerResponse(incoming)
      await page(incoming, response)
      return response.statusCode
    }
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1'])
      expect([address, await statusAt(address)]).toEqual([address, 200])
    expect(served).toBe(3)
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1'])
      expect([address, await statusAt(address)]).toEqual([address, 421])
    expect(served).toBe(3)
  })
})

test.each([
  '/v1/web/settings',
  '/.well-known/openid-configuration',
  '/identity/jwks',
  '/openapi.json',
  '/livez',
  '/readyz',
  '/metrics',
])('%s is served at any host', async (path) => {
  expect((await ask(path, 'evil.example', '*/*')).status).toBe(200)
})

test.each([
  ['0.0.0.0', {}, 1],
  ['192.0.2.1', { ROLLKEY_PUBLIC_URL: 'http://rollkey.example' }, 1],
  ['0.0.0.0', { ROLLKEY_PUBLIC_URL: 'https://rollkey.example' }, 0],
  ['127.0.0.1', {}, 0],
  ['::1', {}, 0],
])('listening at %s with %j logs %i warnings', (host, more: Record<string, string>, warnings) => {
  const config = readConfig({ ROLLKEY_HOST: host, ...more })
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => lines.push(line) })
  warnOfGaps({ config, log, publicUrl: config.PUBLIC_URL ?? 'http://localhost:8787' } as Platform)
  expect(lines.filter((line) => line.includes('without an https ROLLKEY_PUBLIC_URL'))).toHaveLength(warnings)
})

test('a data directory that other users can access is a warning with the command, one that the service creates is not', () => {
  const folder = nodePath.join(temporaryFolder(), 'data')
  const config = readConfig({ ROLLKEY_DATA_DIR: folder })
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => lines.push(line) })
  createDataDirectory(folder)
  warnOfGaps({ config, log, publicUrl: 'http://localhost:8787' } as Platform)
  expect([statSync(folder).mode & 0o777, lines]).toEqual([0o700, []])
  chmodSync(folder, 0o755)
  warnOfGaps({ config, log, publicUrl: 'http://localhost:8787' } as Platform)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      msg: 'other users can access the data directory: run chmod -R go= with its path',
      path: folder,
      name: '.',
    },
  ])
})
