/** Pages of proxies and networks in place of the service: one line of error, without the page. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../../server/testkit/folder.ts'
import { inProcess, type Ended } from '../../testkit/run.ts'

/** Runs a command against a server that answers each request with a page. */
async function behind(status: number, args: readonly string[]): Promise<Ended & { readonly url: string }> {
  const server = createServer((_, response) => {
    // More than the client waits for.
    response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '600' })
    response.end('<html>\n<head><title>Sign in</title></head>\n</html>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cwd = newFolder()
  const env = { ROLLKEY_URL: url, ROLLKEY_TOKEN: 'svc_st_x', ROLLKEY_KEYCHAIN: 'off', ROLLKEY_CONFIG_DIR: cwd }
  return { ...(await inProcess(args, { env, cwd })), url }
}

const get = ['get', 'A', '--org', 'acme', '--project', 'shop', '--stage', 'dev']

test.each([
  [429, 8, 'RATE_LIMITED', 'returned 429: the proxy in front of the service received too many requests.'],
  [502, 8, 'UNREACHABLE', 'returned 502: the proxy in front of the service cannot reach it'],
  [503, 8, 'UNREACHABLE', 'returned 503: the proxy in front of the service cannot reach it'],
  [504, 8, 'UNREACHABLE', 'returned 504: the proxy in front of the service cannot reach it'],
  [200, 1, 'INVALID_ANSWER', 'returned a web page with status 200, not an answer of a Rollkey service.'],
  [302, 1, 'INVALID_ANSWER', 'redirects to another address.'],
])('a page with status %i', async (status, exit, code, what) => {
  const { url, ...ended } = await behind(status, get)
  expect(ended).toMatchObject({ status: exit, stdout: '' })
  expect(ended.stderr).toMatch(/^[^<\n]+\n$/)
  expect(ended.stderr).toContain(`${code}: ${url} ${what}`)
})

test('doctor does not take a page for the service', async () => {
  const { url, stdout } = await behind(200, ['doctor'])
  expect(stdout).toMatch(new RegExp(`^✗ service +${url} is not a Rollkey service$`, 'm'))
})
