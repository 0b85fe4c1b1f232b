/** The command line behind a proxy, and certificates of authorities that Node does not know. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type AddressInfo } from 'node:net'
import path from 'node:path'
import { createServer } from 'node:tls'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { secret } from '../../../server/testkit/entries.ts'
import { newServiceToken, useTestEnv, write } from '../../../server/testkit/test-env.ts'
import * as certificates from '../../testkit/certificates.ts'
import { startTestCli, type TestCli } from '../../testkit/cli.ts'
import { startForwardProxy } from '../../testkit/proxy.ts'
import { inPipe, startInPipe } from '../../testkit/run.ts'

const testEnv = useTestEnv()
const password = 'canary-of-the-proxy'
let cli: TestCli

beforeEach(async () => {
  cli = await startTestCli(testEnv)
  await write(testEnv, cli.tenant, [secret('A', 'first')])
  const { token } = await newServiceToken(testEnv, cli.tenant, { role: 'reader' })
  Object.assign(cli.env, { ROLLKEY_TOKEN: token, ROLLKEY_INSECURE_HTTP: '1' })
})

const servicePort = (): string => new URL(testEnv.app.url).port

/** Starts TLS in front of the service until the end of the current test. Returns its port. */
async function startTls(cert: string): Promise<number> {
  const server = createServer({ key: certificates.key, cert }, (socket) => {
    const target = connect(Number(servicePort()), '127.0.0.1')
    for (const each of [socket, target]) each.on('error', () => [socket, target].map((end) => end.destroy()))
    socket.pipe(target).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Makes the authority of the tests known to Node. */
function trustAuthority(): void {
  const file = path.join(cli.cwd, 'authority.pem')
  writeFileSync(file, certificates.authority)
  cli.env['NODE_EXTRA_CA_CERTS'] = file
}

test('http goes through HTTP_PROXY, with its password', async () => {
  const proxy = await startForwardProxy()
  const url = `http://rollkey.test:${servicePort()}`
  Object.assign(cli.env, { ROLLKEY_URL: url, http_proxy: `http://user:${password}@127.0.0.1:${proxy.port}` })
  expect(await cli.run('get', 'A')).toMatchObject({ status: 0, stdout: 'first', stderr: '' })
  expect(proxy.requests.join('\n')).toMatch(/^(GET|POST) http:\/\/rollkey\.test:\d+\/v1\//)
  expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${Buffer.from(`user:${password}`).toString('base64')}`]))
  const { stdout } = await cli.run('doctor')
  expect(stdout).toContain(`${url} is ready, through the proxy http://127.0.0.1:${proxy.port} of http_proxy\n`)
  expect(stdout).not.toContain(password)
})

test('https goes through HTTPS_PROXY by CONNECT, encrypted to the service', async () => {
  const proxy = await startForwardProxy()
  const port = await startTls(certificates.service)
  trustAuthority()
  const url = `https://rollkey.test:${port}`
  Object.assign(cli.env, { ROLLKEY_URL: url, HTTPS_PROXY: `http://user:${password}@127.0.0.1:${proxy.port}` })
  expect(await inPipe(['get', 'A'], cli)).toMatchObject({ status: 0, stdout: 'first', stderr: '' })
  expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT rollkey.test:${port}`]))
  // The certificate is for another name.
  cli.env['ROLLKEY_URL'] = `https://other.test:${port}`
  expect((await inPipe(['get', 'A'], cli)).stderr).toContain('(ERR_TLS_CERT_ALTNAME_INVALID)')
})

test('an import reads its source through the proxy', async () => {
  const proxy = await startForwardProxy()
  const address = `http://rollkey.test:${servicePort()}/vault`
  const { ROLLKEY_TOKEN: token = '' } = cli.env
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  Object.assign(cli.env, { ROLLKEY_URL: testEnv.app.url, http_proxy: proxyUrl, VAULT_TOKEN: token })
  const args = ['import', '--from', 'vault', '--address', address, '--path', 'shop/dev', '--dry-run']
  expect(await cli.run(...args)).toMatchObject({ status: 0, stdout: 'A\tsame\tshop/dev\n' })
  expect(proxy.requests).toContain(`GET ${address}/v1/shop/data/dev`)
})

// Over https, the proxy does not see what it connects.
test.each([
  ['http', '/v1/events?'],
  ['https', 'CONNECT rollkey.test:'],
])('a live stream over %s goes through the proxy', async (scheme, seen) => {
  const proxy = await startForwardProxy()
  const port = scheme === 'http' ? servicePort() : await startTls(certificates.service)
  trustAuthority()
  const address = `http://127.0.0.1:${proxy.port}`
  Object.assign(cli.env, { ROLLKEY_URL: `${scheme}://rollkey.test:${port}`, HTTP_PROXY: address, HTTPS_PROXY: address })
  const print = `setInterval(() => {}, 60_000); console.log('has ' + process.env.A)`
  const { child, ended } = startInPipe(['run', '--watch', '--', process.execPath, '-e', print], cli, /$^/)
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
  await expect.poll(() => output).toContain('has first')
  await expect.poll(() => proxy.requests.join('\n')).toContain(seen)
  await write(testEnv, cli.tenant, [secret('A', 'second')])
  await expect.poll(() => output).toContain('has second')
  child.kill('SIGTERM')
  await ended
})

test('loopback addresses and hosts of NO_PROXY are reached directly', async () => {
  const proxy = await startForwardProxy()
  Object.assign(cli.env, { ROLLKEY_URL: testEnv.app.url, HTTP_PROXY: `http://127.0.0.1:${proxy.port}` })
  expect(await cli.run('get', 'A')).toMatchObject({ status: 0, stdout: 'first' })
  Object.assign(cli.env, { ROLLKEY_URL: 'http://rollkey.invalid', NO_PROXY: '.invalid' })
  expect((await cli.run('get', 'A')).stderr).toContain('http://rollkey.invalid cannot be reached')
  expect(proxy.requests).toEqual([])
})

test.each(['http', 'https'])('an error of the proxy for %s names it without its password', async (scheme) => {
  const { port } = await startForwardProxy({ refusal: 407 })
  const variable = `${scheme.toUpperCase()}_PROXY`
  cli.env['ROLLKEY_URL'] = `${scheme}://rollkey.test`
  cli.env[variable] = `http://user:${password}@127.0.0.1:${port}`
  const refused = await cli.run('get', 'A')
  expect(refused).toMatchObject({ status: 8, stdout: '' })
  expect(refused.stderr).toContain(
    `The proxy http://127.0.0.1:${port} of ${variable} refused the connection with 407. `,
  )
  cli.env[variable] = `http://user:${password}@127.0.0.1:9`
  const unreachable = await cli.run('get', 'A')
  expect(unreachable).toMatchObject({ status: 8, stdout: '' })
  expect(unreachable.stderr).toContain(`The proxy http://127.0.0.1:9 of ${variable} cannot be reached (ECONNREFUSED). `)
  const { stdout } = await cli.run('doctor')
  for (const text of [refused.stderr, unreachable.stderr, stdout]) expect(text).not.toContain(password)
})

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', certificates.service],
  ['SELF_SIGNED_CERT_IN_CHAIN', certificates.service + certificates.authority],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', certificates.authority],
])('%s names NODE_EXTRA_CA_CERTS, which helps', async (code, chain) => {
  const url = `https://127.0.0.1:${await startTls(chain)}`
  cli.env['ROLLKEY_URL'] = url
  const expected = `UNREACHABLE: ${url} cannot be reached (${code}): its certificate is from an authority that Node does not know. Set NODE_EXTRA_CA_CERTS to `
  expect((await cli.run('get', 'A')).stderr).toContain(expected)
  expect((await cli.run('doctor')).stdout).toContain(expected)
  trustAuthority()
  expect(await inPipe(['get', 'A'], cli)).toMatchObject({ status: 0, stdout: 'first' })
})
