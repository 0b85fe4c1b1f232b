/** Limits of the memory that clients occupy with unfinished bodies and unread answers. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { endpoints, type EndpointName } from '@rollkey/contract'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { PendingBodies } from '../../src/http/limits/pending-bodies.ts'
import { startTestApp, usageOf } from '../../testkit/app.ts'
import { secret } from '../../testkit/entries.ts'
import {
  newOwner,
  newServiceToken,
  newTenant,
  startTestEnv,
  useTestEnv,
  write,
  type TestTenant,
} from '../../testkit/test-env.ts'

function hold(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

interface Said {
  readonly token?: string
  readonly from?: string
}

/** Returns the head of a request with `length` bytes of body, as a proxy forwards it from an address. */
function headOf(name: EndpointName, length: number, said: Said = {}): string {
  return headAt(endpoints[name].path, 'x', length, said)
}

function headAt(path: string, host: string, length: number, { token, from }: Said): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}`,
    `content-length: ${length}`,
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(from === undefined ? [] : [`x-forwarded-for: ${from}`]),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Returns functions that wait until this many bytes of bodies from an address wait for their rest, or until they no longer do. */
function watchPending() {
  const pending = new Map<string, number>()
  for (const method of ['add', 'remove'] as const) {
    const original = PendingBodies.prototype[method]
    const watched = vi.spyOn(PendingBodies.prototype, method).mockImplementation(function (
      this: PendingBodies,
      address,
      bytes,
    ) {
      original.call(this, address, bytes)
      pending.set(address, (pending.get(address) ?? 0) + (method === 'add' ? bytes : -bytes))
    })
    onTestFinished(() => watched.mockRestore())
  }
  const until = (isDone: (bytes: number) => boolean, address: string): Promise<unknown> =>
    vi.waitUntil(() => isDone(pending.get(address) ?? 0), { timeout: 600_000 })
  return {
    arrived: (bytes: number, address: string) => until((waiting) => waiting >= bytes, address),
    gone: (address: string) => until((waiting) => waiting === 0, address),
  }
}

async function statusOf(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data')) as [Buffer]
  return data.toString().slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
}

describe('bodies', () => {
  const [perAddress, total] = [100_000, 250_000]

  const testEnv = useTestEnv({
    MAX_PENDING_BODY_BYTES: String(total),
    MAX_PENDING_BODY_BYTES_PER_IP: String(perAddress),
  })

  const sizes = Object.entries(endpoints)
    .filter(([, { method }]) => method === 'POST')
    .map(([name, { bodyBytes }]) => [name as EndpointName, bodyBytes] as const)

  test('are limited to 4 KiB for device codes, sessions and service tokens, and to 16 KiB for sign-ins', () => {
    const withSize = (bytes: number): string[] =>
      sizes.filter(([, maxBytes]) => maxBytes === bytes).map(([name]) => name)
    const short = ['deviceStart', 'deviceComplete', 'deviceShow', 'deviceDeny', 'devicePoll', 'tokenRefresh', 'logout']
    const ofSessions = ['sessionList', 'sessionRevoke', 'sessionConfirm']
    const ofTokens = ['tokenCreate', 'tokenList', 'tokenRotate', 'tokenRevoke']
    expect(withSize(4_096).toSorted()).toEqual([...short, ...ofSessions, ...ofTokens].toSorted())
    expect(withSize(16_384).toSorted()).toEqual(['webSignIn', 'webToken'])
    const ofDeclarations = ['declarationReplace', 'declarationCheck']
    const ofWrites = ['write', 'update', 'changePropose', 'changeEdit']
    expect(withSize(4_194_304).toSorted()).toEqual([...ofWrites, ...ofDeclarations].toSorted())
  })

  test.each(sizes.filter(([name]) => endpoints[name].auth === 'none'))(
    '%s refuses a longer one',
    async (name, maxBytes) => {
      const body = (bytes: number): object => ({ deviceCode: '', refreshToken: '', padding: 'x'.repeat(bytes - 52) })
      expect(JSON.stringify(body(maxBytes)).length).toBeLessThanOrEqual(maxBytes)
      expect((await testEnv.client.call(name, body(maxBytes))).status).not.toBe(413)
      expect((await testEnv.client.call(name, body(maxBytes + 100))).body).toMatchObject({
        error: { code: 'PAYLOAD_TOO_LARGE' },
      })
    },
  )

  test('of a trusted proxy are limited only by the total of the node', async () => {
    const { token } = await newTenant(testEnv)
    const socket = hold(testEnv.app.url)
    const body = ' '.repeat(1.5 * perAddress)
    const { arrived } = watchPending()
    socket.write(headOf('write', body.length + 1, { token }) + body)
    await arrived(body.length, '127.0.0.1')
    socket.write('-')
    expect(await statusOf(socket)).toBe('400')
  })

  /** Sends this number of bytes of a longer body, and never the rest. */
  function sendPart(bytes: number, said: Said): Socket {
    const socket = hold(testEnv.app.url)
    socket.write(headOf('write', 1_000_000, said))
    socket.write(' '.repeat(bytes))
    return socket
  }

  test('occupy memory only up to the limits of their address and of the node, until they end', async () => {
    const { token, at } = await newTenant(testEnv)
    const { arrived, gone } = watchPending()
    const [from, other] = ['192.0.2.1', '192.0.2.2']
    const first = sendPart(90_000, { token, from })
    await arrived(90_000, from)
    expect(await statusOf(sendPart(90_000, { token, from }))).toBe('429')
    // The same bytes from another address fit until the node is full. A proxy may use all memory of the node.
    sendPart(90_000, { token, from: other })
    await arrived(90_000, other)
    expect(await statusOf(sendPart(90_000, { token, from: '192.0.2.3' }))).toBe('429')
    expect(await statusOf(sendPart(90_000, { token }))).toBe('429')
    // A body in one chunk does not wait, so it is not refused.
    expect((await testEnv.client.call('list', at, { token })).status).toBe(200)
    first.destroy()
    await gone(from)
    sendPart(60_000, { token, from })
    await arrived(60_000, from)
    expect((await testEnv.client.get('/metrics')).text).toMatch(/rollkey_rate_limited_total\{limit="bodies"\} [3-9]/)
  })

  test('count the memory of their chunks, even of chunks of one byte', async () => {
    const { token } = await newTenant(testEnv)
    const socket = hold(testEnv.app.url)
    const head = headOf('write', 0, { token, from: '192.0.2.9' }).replace(
      'content-length: 0',
      'transfer-encoding: chunked',
    )
    socket.write(head + '1\r\n \r\n'.repeat(1_000))
    expect(await statusOf(socket)).toBe('429')
  })
})

test('bodies of identity requests have the same limits', async () => {
  const app = await startTestApp({ MAX_PENDING_BODY_BYTES_PER_IP: '50000' })
  const send = (from: string): Socket => {
    const socket = hold(app.url)
    socket.write(headAt('/identity/sign-in/email', 'localhost', 60_000, { from }) + ' '.repeat(40_000))
    return socket
  }
  const { arrived } = watchPending()
  send('192.0.2.1')
  await arrived(40_000, '192.0.2.1')
  expect(await statusOf(send('192.0.2.1'))).toBe('429')
})

/** About 15 MB. */
const entries = Array.from({ length: 250 }, () => ({ name: 'LARGE' }))

/** Requests a large answer and reads none of it. */
async function ignoreAnswer(url: string, { at }: TestTenant, token: string): Promise<Socket> {
  const socket = hold(url).pause()
  const body = JSON.stringify({ ...at, entries })
  socket.write(headOf('evaluateBatch', body.length, { token }) + body)
  await once(socket, 'readable')
  return socket
}

test('a caller with an unread answer gets no list, because its size is unknown in advance', async () => {
  const testEnv = await startTestEnv({ MAX_UNREAD_BYTES_PER_CALLER: '100000' })
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('LARGE', 'x'.repeat(60_000))])
  const { token } = await newServiceToken(testEnv, tenant)
  const list = async (by: string): Promise<number> =>
    (await testEnv.client.call('list', tenant.at, { token: by })).status
  const socket = await ignoreAnswer(testEnv.app.url, tenant, token as string)
  expect([await list(token as string), await list(tenant.token)]).toEqual([429, 200])
  socket.destroy()
  await expect.poll(() => list(token as string)).toBe(200)
})

describe('answers that are not read', () => {
  const valueBytes = 60_000
  const [perCaller, total] = [20_000_000, 50_000_000]
  const testEnv = useTestEnv({ MAX_UNREAD_BYTES: String(total), MAX_UNREAD_BYTES_PER_CALLER: String(perCaller) })
  let tenant: TestTenant

  beforeAll(async () => {
    tenant = await newOwner(testEnv)
    await write(testEnv, tenant, [secret('LARGE', 'x'.repeat(valueBytes)), secret('SMALL', 'x')])
  })

  const askAndIgnore = (token: string): Promise<Socket> => ignoreAnswer(testEnv.app.url, tenant, token)
  const ask = async (token: string): Promise<number> => {
    const answer = await fetch(testEnv.app.url + endpoints.evaluateBatch.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ ...tenant.at, entries }),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const askSmall = async (token: string): Promise<number> => {
    return (await testEnv.client.call('evaluate', { ...tenant.at, name: 'SMALL' }, { token })).status
  }

  test('are limited per caller and per node, before anything is billed', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 5 }, async () => (await newServiceToken(testEnv, tenant)).token as string),
    )
    const [one, two, three, four, polite] = tokens as [string, string, string, string, string]
    const first = await askAndIgnore(one)
    const before = await usageOf(testEnv.app, tenant.at.orgSlug)
    expect(await ask(one)).toBe(429)
    // Reading slowly frees no memory.
    first.read(1_000)
    expect(await ask(one)).toBe(429)
    expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(before)
    // Small answers fit until the limit is reached.
    expect(await askSmall(one)).toBe(200)
    const others = [await askAndIgnore(two), await askAndIgnore(three)]
    expect(await ask(polite)).toBe(429)
    expect(await askSmall(polite)).toBe(200)
    for (const socket of [first, ...others]) socket.destroy()
    for (const token of [one, four]) await expect.poll(() => ask(token)).toBe(200)
    expect((await testEnv.client.get('/metrics')).text).toMatch(/rollkey_rate_limited_total\{limit="answers"\} [3-9]/)
  })
})
