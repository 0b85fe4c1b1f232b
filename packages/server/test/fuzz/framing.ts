/** Serializes requests and corrupts them below HTTP. No library sends such bytes, and a proxy would parse some as two requests. */
import type { Random } from '../../testkit/random.ts'
import type { Sent } from './mutations.ts'

const lineEnd = '\r\n'

/** The start line and the header lines, which a corruption may change. */
type Head = [start: string, ...lines: string[]]

export function bytesOf(sent: Sent, trick: (head: Head) => Head = (head) => head): Buffer {
  const lines = Object.entries(sent.headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  )
  if (sent.body) lines.push(`content-length: ${sent.body.length}`)
  const head = trick([`${sent.method} ${sent.path} HTTP/1.1`, 'host: 127.0.0.1', ...lines])
  const bytes = Buffer.from([...head, '', ''].join(lineEnd), 'latin1')
  return sent.body ? Buffer.concat([bytes, sent.body]) : bytes
}

const starts: readonly string[] = [
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'GET / HTTP/9.9',
  'GET /',
  'GET',
  '',
  'get / HTTP/1.1',
  'BREW / HTTP/1.1',
  `${'M'.repeat(5_000)} / HTTP/1.1`,
  'CONNECT evil.example:443 HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET * HTTP/1.1',
  'GET v1/whoami HTTP/1.1',
  'GET /v1/who ami HTTP/1.1',
  'GET /\u00E9\u0000 HTTP/1.1',
  `GET /${'p'.repeat(15_000)} HTTP/1.1`,
  `GET /v1/whoami?${'q'.repeat(40_000)} HTTP/1.1`,
  'PRI * HTTP/2.0',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
]

const lines: readonly (readonly string[])[] = [
  ['content-length: 0'],
  ['content-length: 5', 'content-length: 6'],
  ['content-length: -1'],
  ['content-length: 1e3'],
  ['content-length: 99999999999999999999'],
  ['content-length: 900'],
  ['transfer-encoding: chunked'],
  ['transfer-encoding: gzip, chunked'],
  ['transfer-encoding: identity'],
  ['transfer-encoding : chunked'],
  ['transfer-encoding: chunked', 'transfer-encoding: chunked'],
  ['transfer-encoding: xchunked'],
  ['host: evil.example'],
  ['x-a: b', ' folded'],
  ['x-a: b', '\tfolded: c'],
  ['no colon'],
  [': no name'],
  ['x a: b'],
  ['x-a: \u0000'],
  ['x-\u00E9: \u00FF'],
  ['x-a: a\rb'],
  ['x-a: a\nx-b: b'],
  [`x-a: ${'a'.repeat(20_000)}`],
  [`${'n'.repeat(20_000)}: a`],
  Array.from({ length: 300 }, (_, index) => `x-${index}: a`),
  Array.from({ length: 3_000 }, () => 'a: b'),
  Array.from({ length: 50 }, () => 'authorization: Bearer svc_at_x'),
  ['expect: 100-continue', 'content-length: 3'],
]

/** Returns a request whose end is ambiguous. It must be the last one on its connection. */
export function trickedBytesOf(sent: Sent, random: Random): Buffer {
  return bytesOf(
    sent,
    random.pick<(head: Head) => Head>([
      ([, ...rest]) => [random.pick(starts), ...rest],
      ([start, ...rest]) => [start, ...rest, ...random.pick(lines)],
      ([start, ...rest]) => [start, ...random.pick(lines), ...rest],
      ([start, , ...rest]) => [start, ...rest],
      (head) => head.slice(0, 1 + random.int(head.length)) as Head,
    ]),
  )
}
