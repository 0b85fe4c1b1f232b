/** Where webhooks may send, and that nothing else is ever connected to. */
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { problemOfTarget, Target, type TargetOptions } from '../../src/notifications/target.ts'
import { isNetwork, isPublicAddress, networks } from '../../src/upstream/networks.ts'
import * as certificates from '../../../cli/testkit/certificates.ts'

const message = { headers: { 'content-type': 'application/json' }, body: '{"é":1}' }
const nowhere = networks([])
const here = networks(['127.0.0.0/8', '::1/128'])
const never = new AbortController().signal

/** Listens until the end of the test. Returns its port. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Returns a target whose names lead to these addresses, one list after the other. */
function target(options: Partial<TargetOptions> = {}, ...answers: string[][]) {
  const asked: string[] = []
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, target: new Target({ allowed: nowhere, resolve, ...options }) }
}

/** Addresses that are not public, some of them written as URLs also take them. */
const forbidden = `
  0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 127.0.0.1 127.1.2.3 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8
  192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.255 [::] [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::127.0.0.1]
  [::ffff:0:127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::1] [100::1] [2001::1] [2001:10::1] [2001:db8::1] [2002:7f00:1::]
  [3fff::1] [5f00::1] [fc00::1] [fd12:3456::1] [fe80::1] [fec0::1] [ff02::1] 2130706433 0x7f000001 0x7f.1 0177.0.0.1
  127.1 017700000001 3232235777 0 127.0.0.1.
`
  .trim()
  .split(/\s+/)

test.each(forbidden)('https://%s is refused before anything is sent', async (host) => {
  const url = `https://${host}/hook`
  expect(problemOfTarget(url, nowhere)).toBe('url must be at a public address')
  const { asked, target: sender } = target({}, ['8.8.8.8'])
  expect(await sender.send(url, message, never)).toMatchObject({ failure: 'url must be at a public address' })
  expect(asked).toEqual([])
})

test.each<readonly [string, string]>([
  ['http://example.com/', 'url must begin with https://'],
  ['ftp://example.com/', 'url must begin with https://'],
  ['file:///etc/passwd', 'url must begin with https://'],
  ['https://user:secret@example.com/', 'url must have no user name and password'],
  ['https://user@example.com/', 'url must have no user name and password'],
  ...[22, 25, 80, 2375, 5432, 6379, 8080, 9200].map(
    (port) => [`https://example.com:${port}/`, 'url must have the port 443 or 8443'] as const,
  ),
])('%s is refused', async (url, problem) => {
  expect(problemOfTarget(url, nowhere)).toBe(problem)
  expect(await target().target.send(url, message, never)).toMatchObject({ failure: problem })
})

test.each([
  ['localhost', ['127.0.0.1']],
  ['a.localhost', ['::1']],
  ['ip6-localhost', ['::1']],
  ['metadata.google.internal', ['169.254.169.254']],
  ['rebound.example.com', ['10.0.0.1']],
  // One public address beside another one does not help.
  ['mixed.example.com', ['8.8.8.8', '127.0.0.1']],
  ['mapped.example.com', ['::ffff:127.0.0.1']],
  ['nothing.example.com', []],
])('a name such as %s that leads to %j is refused', async (host, addresses) => {
  const { target: sender } = target({}, addresses)
  expect(await sender.send(`https://${host}/`, message, never)).toMatchObject({
    failure: 'its host is at no public address',
  })
})

test('public addresses are accepted', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '192.167.1.1', '2606:4700::1111', '2a00::1'])
    expect([address, isPublicAddress(address)]).toEqual([address, true])
  for (const url of [
    'https://example.com/x?y=z',
    'https://example.com:8443/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ])
    expect(problemOfTarget(url, nowhere)).toBeUndefined()
  for (const text of ['10.0.0.0/8', 'fd00::/8', '0.0.0.0/0', '1.2.3.4/32'])
    expect([text, isNetwork(text)]).toEqual([text, true])
  for (const text of ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'example.com/8', '10.0.0/8', ''])
    expect([text, isNetwork(text)]).toEqual([text, false])
})

test('a name is looked up once, and the connection goes to the address that was checked', async () => {
  const bodies: string[] = []
  const port = await listening(createHttp(take(bodies)))
  // The second answer would lead elsewhere.
  const { asked, target: sender } = target({ allowed: here }, ['127.0.0.1'], ['10.0.0.1'])
  expect(await sender.send(`http://internal.example.com:${port}/x`, message, never)).toMatchObject({ status: 200 })
  expect([asked, bodies]).toEqual([['internal.example.com'], [message.body]])
  expect(await sender.send(`http://internal.example.com:${port}/x`, message, never)).toMatchObject({
    failure: 'its host is at no public address',
  })
})

test('without https and at other ports only what the operator lists is reached, though its name is public', async () => {
  const { target: sender } = target({ allowed: here }, ['8.8.8.8'])
  for (const url of ['http://example.com/', 'https://example.com:9000/'])
    expect(await sender.send(url, message, never)).toMatchObject({ failure: 'its host is at no public address' })
})

function take(bodies: string[], status = 200, headers: Record<string, string> = {}): RequestListener {
  return (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(status, headers).end('x'.repeat(1_000_000))
    })
  }
}

test('a redirect is not followed, and of a long answer only the beginning is read', async () => {
  const bodies: string[] = []
  const elsewhere = await listening(createHttp(take(bodies)))
  const port = await listening(createHttp(take([], 302, { location: `http://127.0.0.1:${elsewhere}/` })))
  const { target: sender } = target({ allowed: here })
  expect(await sender.send(`http://127.0.0.1:${port}/`, message, never)).toMatchObject({ status: 302 })
  expect(bodies).toEqual([])
})

test('a receiver that hangs, resets or is not there fails with a reason that names no address', async () => {
  const hanging = await listening(createServer(() => undefined))
  const resetting = await listening(createServer((socket) => socket.resetAndDestroy()))
  const { target: sender } = target({ allowed: here, timeoutMs: 50 })
  expect(await sender.send(`http://127.0.0.1:${hanging}/`, message, never)).toMatchObject({
    failure: 'no answer within 0.05 seconds',
  })
  const { target: patient } = target({ allowed: here })
  expect(await patient.send(`http://127.0.0.1:${resetting}/`, message, never)).toMatchObject({ failure: 'ECONNRESET' })
  const name = new Target({ allowed: here, resolve: () => new Promise(() => {}), timeoutMs: 50 })
  expect(await name.send('https://example.com/', message, never)).toMatchObject({
    failure: 'no answer within 0.05 seconds',
  })
})

test('over TLS the certificate must be for the name and from a trusted authority', async () => {
  const bodies: string[] = []
  const port = await listening(createHttps({ key: certificates.key, cert: certificates.service }, take(bodies)))
  const sent = (host: string, more: Partial<TargetOptions> = {}) =>
    target({ allowed: here, ...more }, ['127.0.0.1']).target.send(`https://${host}:${port}/`, message, never)
  const ca = certificates.authority
  expect(await sent('localhost', { ca })).toMatchObject({ status: 200 })
  expect(await sent('other.example.com', { ca })).toMatchObject({ failure: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  expect(await sent('localhost')).toMatchObject({ failure: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  expect(bodies).toEqual([message.body])
})
