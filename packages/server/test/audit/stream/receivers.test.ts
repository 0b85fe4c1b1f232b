/** The receivers of the audit stream: a file, a syslog server, and one of HTTP, and how each fails. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FileReceiver } from '../../../src/audit/stream/file-receiver.ts'
import { HttpReceiver } from '../../../src/audit/stream/http-receiver.ts'
import type { StreamMessage } from '../../../src/audit/stream/receiver.ts'
import { streamName, streamTarget } from '../../../src/audit/stream/stream-url.ts'
import { SyslogReceiver } from '../../../src/audit/stream/syslog-receiver.ts'
import * as certificates from '../../../../cli/testkit/certificates.ts'
import { TestClock } from '../../../testkit/clock.ts'
import { FakeServer, type FakeServerRequest, type Reply } from '../../../testkit/fake-server.ts'
import { temporaryFolder } from '../../../testkit/folder.ts'
import { closedPort } from '../../../testkit/free-port.ts'

const never = new AbortController().signal
const message = (seq: number, more: Partial<StreamMessage> = {}): StreamMessage => ({
  orgId: 'org_1',
  organization: 'acme',
  seq,
  atMs: Date.UTC(2026, 10, 29, 12) + seq,
  type: 'variable.update',
  isFailure: false,
  text: `{"seq":${seq},"é":"…"}`,
  ...more,
})

test.each([
  ['file:/var/log/audit.jsonl', { kind: 'file', path: '/var/log/audit.jsonl' }, '/var/log/audit.jsonl'],
  ['file:///a%20b', { kind: 'file', path: '/a b' }, '/a b'],
  ['syslog+tls://logs.example', { kind: 'syslog', host: 'logs.example', port: 6514, isTls: true }, 'logs.example:6514'],
  ['syslog+tcp://[::1]:514/', { kind: 'syslog', host: '::1', port: 514, isTls: false }, '[::1]:514'],
  ['https://a.example/x?key=1', { kind: 'http', url: 'https://a.example/x?key=1', isSplunk: false }, 'a.example'],
  [
    'https://s.example:8088/services/collector/event',
    { kind: 'http', url: 'https://s.example:8088/services/collector/event', isSplunk: true },
    's.example:8088',
  ],
])('%s names a receiver', (url, target, name) => {
  expect(streamTarget(url)).toEqual(target)
  expect(streamName(streamTarget(url) as NonNullable<ReturnType<typeof streamTarget>>)).toBe(name)
})

test.each(
  'x file:x file:/a/ file:/a?b file://host/a syslog://a syslog+udp://a syslog+tls:// syslog+tls://u@a syslog+tls://a/b http://a.example https://u:p@a.example'.split(
    ' ',
  ),
)('%s names none', (url) => expect(streamTarget(url)).toBeUndefined())

describe('a file', () => {
  const linesIn = (file: string): unknown[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { seq: number }).seq)

  test('is readable only by its owner, and goes on after a part of a line', async () => {
    const file = path.join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(file, '{"seq":1}\n{"se', { mode: 0o644 })
    const receiver = new FileReceiver({ path: file, clock: new TestClock() })
    expect(await Promise.all([receiver.send([message(1), message(2)]), receiver.send([message(3)])])).toEqual([
      undefined,
      undefined,
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).toBe(`{"seq":1}\n{"se\n${[1, 2, 3].map((seq) => `${message(seq).text}\n`).join('')}`)
  })

  test('gets another name when it is full, and only the newest of those stay', async () => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'audit.jsonl')
    writeFileSync(`${file}.old`, 'of someone else')
    const clock = new TestClock(0)
    clock.freezeAt(Date.UTC(2026, 10, 29))
    // Two processes append to the same file.
    const receivers = [1, 2].map(() => new FileReceiver({ path: file, clock, maxBytes: 60 }))
    for (let seq = 1; seq <= 50; seq++) {
      expect(await receivers[seq % 2]?.send([message(seq)])).toBeUndefined()
      clock.advance(1)
    }
    const names = readdirSync(folder)
      .filter((name) => name !== 'audit.jsonl.old')
      .toSorted()
    const full = names.filter((name) => name !== 'audit.jsonl')
    expect(full).toHaveLength(16)
    expect(full[0]).toMatch(/^audit\.jsonl\.20261129T000000\.\d{3}Z\.\d+$/)
    const all = [...full, ...(existsSync(file) ? ['audit.jsonl'] : [])].flatMap((name) =>
      linesIn(path.join(folder, name)),
    )
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => 50 - all.length + 1 + index))
    expect(all.length).toBeGreaterThan(16)
    for (const name of names) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600)
  })

  test('that cannot be written is a reason without its path', async () => {
    const folder = temporaryFolder()
    const clock = new TestClock()
    const [link, target] = [path.join(folder, 'link'), path.join(folder, 'target')]
    symlinkSync(target, link)
    expect(await new FileReceiver({ path: link, clock }).send([message(1)])).toBe('ELOOP')
    expect(existsSync(target)).toBe(false)
    const gone = new FileReceiver({ path: path.join(folder, 'none', 'audit.jsonl'), clock })
    expect(await gone.send([message(1)])).toBe('ENOENT')
    mkdirSync(path.join(folder, 'none'))
    chmodSync(path.join(folder, 'none'), 0o700)
    expect(await gone.send([message(1)])).toBeUndefined()
  })
})

/** Splits what arrived by octet counting. Throws if something is left. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = []
  for (let rest = bytes; rest.length > 0;) {
    const [digits = ''] = /^\d+ /.exec(rest.subarray(0, 12).toString()) ?? []
    const end = digits.length + Number(digits)
    if (digits === '' || rest.length < end) throw new Error('not octet-counted')
    frames.push(rest.subarray(digits.length, end).toString())
    rest = rest.subarray(end)
  }
  return frames
}

describe.each([true, false])('a syslog server (TLS: %s)', (isTls) => {
  /** Starts a server that reads everything, or does something else with a connection. Returns its port and what it read. */
  async function start(serve?: (socket: Socket) => void): Promise<{ port: number; received: Promise<string[]>[] }> {
    const received: Promise<string[]>[] = []
    const accept = (socket: Socket): void => {
      socket.on('error', () => undefined)
      if (serve) return serve(socket)
      received.push(
        (async () => {
          const chunks: Buffer[] = []
          for await (const chunk of socket) chunks.push(chunk as Buffer)
          return framesOf(Buffer.concat(chunks))
        })(),
      )
    }
    const server = isTls
      ? tls.createServer({ key: certificates.key, cert: certificates.service }, accept)
      : net.createServer(accept)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return { port: (server.address() as AddressInfo).port, received }
  }
  const receiverAt = (port: number, ca: string | undefined = certificates.authority) =>
    new SyslogReceiver({
      host: '127.0.0.1',
      port,
      isTls,
      hostname: 'rollkey.example',
      version: '1.2.3',
      ...(ca !== '' && { ca }),
    })

  test('receives messages of RFC 5424 in their order', async () => {
    const { port, received } = await start()
    const odd = message(2, {
      organization: 'a"]\\b',
      type: 'Grüße type that is much longer than 32',
      isFailure: true,
    })
    expect(await receiverAt(port).send([message(1), odd], never)).toBeUndefined()
    const origin = '[origin software="Rollkey" swVersion="1.2.3"]'
    expect(await received[0]).toEqual([
      `<110>1 2026-11-29T12:00:00.001Z rollkey.example rollkey - variable.update ${origin}[rollkey@32473 organization="acme" orgId="org_1" seq="1"] {"seq":1,"é":"…"}`,
      `<108>1 2026-11-29T12:00:00.002Z rollkey.example rollkey - Gr--e-type-that-is-much-longer-t ${origin}[rollkey@32473 organization="a\\"\\]\\\\b" orgId="org_1" seq="2"] {"seq":2,"é":"…"}`,
    ])
    const many = Array.from({ length: 3_000 }, (_, index) =>
      message(index, { text: `{"seq":${index},"x":"${'ü'.repeat(500)}"}` }),
    )
    expect(await receiverAt(port).send(many, never)).toBeUndefined()
    const numbers = (await received[1])?.map((frame) => Number(/ seq="(\d+)"/.exec(frame)?.[1]))
    expect(numbers).toEqual(many.map(({ seq }) => seq))
  })

  test('that is not there, resets, ends first or hangs has accepted nothing', async () => {
    expect(await receiverAt(closedPort).send([message(1)], never)).toBe('ECONNREFUSED')
    const resetting = await start((socket) => socket.once('data', () => socket.destroy()))
    const long = [message(1, { text: 'x'.repeat(5_000_000) })]
    expect(await receiverAt(resetting.port).send(long, never)).toMatch(/^(ECONNRESET|EPIPE)$/)
    const ending = await start((socket) => socket.end())
    expect(await receiverAt(ending.port).send(long, never)).toMatch(/^(ECONNRESET|EPIPE)$/)
    const controller = new AbortController()
    const sockets: Socket[] = []
    const hanging = await start((socket) => {
      sockets.push(socket)
      // It reads nothing of what is sent, so its end never comes.
      socket.pause()
      controller.abort()
    })
    expect(await receiverAt(hanging.port).send(long, controller.signal)).toBe('AbortError')
    for (const socket of sockets) socket.destroy()
    expect(await receiverAt(hanging.port).send(long, controller.signal)).toBe('AbortError')
  })

  test.runIf(isTls)('with an unknown certificate receives nothing', async () => {
    let bytes = 0
    const { port } = await start((socket) => socket.on('data', (chunk) => (bytes += chunk.length)))
    expect(await receiverAt(port, '').send([message(1)], never)).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/)
    expect(bytes).toBe(0)
  })
})

class LineReceiver extends FakeServer {
  protected take(): Reply {
    return { status: 200 }
  }
}

describe('a receiver by HTTP', () => {
  const server = new LineReceiver()
  beforeAll(() => server.start())
  afterAll(() => server.stop())
  const receiverAt = (suffix = '', format: 'json' | 'cef' = 'json', token?: string) => {
    const target = streamTarget(server.url + suffix)
    if (target?.kind !== 'http') throw new Error('not HTTP')
    return new HttpReceiver({ target, token, format })
  }

  test.each([
    [
      'lines of JSON',
      receiverAt,
      '',
      'json',
      undefined,
      'application/x-ndjson',
      '{"seq":1,"é":"…"}\n{"seq":2,"é":"…"}\n',
    ],
    ['CEF', receiverAt, '/x', 'cef', 'secret', 'text/plain; charset=utf-8', '{"seq":1,"é":"…"}\n{"seq":2,"é":"…"}\n'],
    [
      'events of Splunk',
      receiverAt,
      '/services/collector/event',
      'json',
      'secret',
      'application/json',
      [1, 2]
        .map(
          (seq) =>
            `{"time":1795953600.00${seq},"source":"rollkey","sourcetype":"rollkey:audit","event":{"seq":${seq},"é":"…"}}\n`,
        )
        .join(''),
    ],
    [
      'events of Splunk in CEF',
      receiverAt,
      '/services/collector',
      'cef',
      'secret',
      'application/json',
      [1, 2]
        .map(
          (seq) =>
            `{"time":1795953600.00${seq},"source":"rollkey","sourcetype":"cef","event":${JSON.stringify(message(seq).text)}}\n`,
        )
        .join(''),
    ],
  ] as const)('receives %s', async (_, at, suffix, format, token, contentType, body) => {
    expect(await at(suffix, format, token).send([message(1), message(2)], never)).toBeUndefined()
    const { headers, body: received } = server.requests.at(-1) as FakeServerRequest
    expect([headers['content-type'], received]).toEqual([contentType, body])
    const scheme = suffix.startsWith('/services') ? 'Splunk' : 'Bearer'
    expect(headers.authorization).toBe(token && `${scheme} ${token}`)
  })

  test('that refuses, redirects, resets, hangs, or is not there has accepted nothing; a dripping answer has', async () => {
    const sends = async (mode: LineReceiver['failureMode'], signal = never): Promise<string | undefined> => {
      server.nextFailureModes.push(mode)
      return receiverAt('/?key=secret').send([message(1)], signal)
    }
    expect(await sends({ status: 503 })).toBe('status 503')
    expect(await sends({ status: 302, headers: { location: '/other' } })).toBe('status 302')
    expect(server.requests.at(-1)?.path).toBe('/?key=secret')
    expect(await sends('resets')).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/)
    expect(await sends('drips')).toBeUndefined()
    const controller = new AbortController()
    const before = server.requests.length
    const hanging = sends('hangs', controller.signal)
    await expect.poll(() => server.requests.length).toBe(before + 1)
    controller.abort()
    expect(await hanging).toBe('AbortError')
    const url = `http://127.0.0.1:${closedPort}`
    const gone = new HttpReceiver({ target: { kind: 'http', url, isSplunk: false }, token: 'secret', format: 'json' })
    expect(await gone.send([message(1)], never)).toBe('ECONNREFUSED')
  })
})
