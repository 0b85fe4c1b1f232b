/** Mutations of a request by hostile, broken and careless clients. */
import { limits } from '@rollkey/contract'
import type { Random } from '../../testkit/random.ts'
import type { Json } from './valid.ts'

export interface Sent {
  method: string
  path: string
  headers: Record<string, string | string[]>
  body: Buffer | undefined
}

type JsonObject = { [name: string]: Json }

const hostile: readonly Json[] = [
  null,
  true,
  false,
  [],
  {},
  [[[]]],
  { toString: 'x', valueOf: 'y', length: -1 },
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e-320,
  2 ** 53,
  2 ** 63,
  '',
  ' ',
  '\u0000',
  '\u{10FFFF}',
  '\uD800',
  '\uDC00x',
  '\u202Eevil',
  '\u00E9 e\u0301',
  'İ',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../../etc/passwd',
  "' OR 1=1; --",
  '%',
  '_%\\',
  '$1',
  '%00',
  'NaN',
  'Infinity',
  'A'.repeat(257),
  '🚀'.repeat(257),
  'x'.repeat(1_025),
  'y'.repeat(65_537),
]

const unknownNames = ['__proto__', 'constructor', 'orgId', 'requestId', '', ' ', 'ORGSLUG', 'toJSON']

/** Returns a value as text for a query, which contains only text. */
export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function mutateValue(value: Json, random: Random): Json {
  if (Array.isArray(value) && value.length > 0 && !random.once(4)) return mutateArray(value, random)
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !random.once(4)) {
    return mutateObject(value, random)
  }
  if (typeof value === 'string' && random.once(3)) {
    const at = random.int(value.length + 1)
    return value.slice(0, at) + asText(random.pick(hostile)) + value.slice(at + random.int(3))
  }
  if (typeof value === 'number' && random.once(3)) return random.pick([-value, value + 0.5, value * 1e9, value + 1])
  return random.once(8) ? [value] : random.pick(hostile)
}

function mutateArray(value: readonly Json[], random: Random): Json {
  const at = random.int(value.length)
  return random.pick<() => Json>([
    () => value.map((item, index) => (index === at ? mutateValue(item, random) : item)),
    () => value.map((item, index) => (index === at ? mutateValue(item, random) : item)),
    () => value.toSpliced(at, 1),
    () => [...value, value[at] as Json],
    () => Array.from({ length: 1_001 }, () => value[at] as Json),
    () => Array.from({ length: 120 }, (_, index) => `N${index}`),
  ])()
}

function mutateObject(value: JsonObject, random: Random): JsonObject {
  const names = Object.keys(value)
  const name = random.pick(names) ?? 'x'
  const other = value[random.pick(names) ?? 'x'] ?? null
  const { [name]: at = null, ...rest } = value
  return random.pick<() => JsonObject>([
    () => ({ ...value, [name]: mutateValue(at, random) }),
    () => ({ ...value, [name]: mutateValue(at, random) }),
    () => ({ ...value, [name]: mutateValue(at, random) }),
    () => rest,
    () => ({ ...value, [name]: other }),
    () => ({ ...rest, [name.toUpperCase()]: at }),
    () => Object.fromEntries([...Object.entries(value), [random.pick(unknownNames), random.pick(hostile)]]),
  ])()
}

export function mutateInput(input: JsonObject, random: Random): JsonObject {
  let mutated = input
  for (let times = 1 + random.int(3); times > 0; times--) mutated = mutateObject(mutated, random)
  return mutated
}

const depth = 100_000
const deep = '['.repeat(depth)
const deepAndClosed = deep + ']'.repeat(depth)
/** Bodies that are one byte larger than an endpoint, or a write, accepts. */
const tooLarge = [limits.bodyBytes, limits.writeBodyBytes].map((maxBytes) => Buffer.alloc(maxBytes + 1, ' '))

/** Mutates the serialization to JSON, or the bytes. */
export function mutateBody(body: Buffer, random: Random): Buffer {
  const at = random.int(body.length + 1)
  const head = body.subarray(0, at)
  const text = body.toString()
  return random.pick<() => Buffer>([
    () => Buffer.from(head),
    () => Buffer.concat([head, Buffer.of(random.int(256)), body.subarray(at + random.int(2))]),
    () => Buffer.concat([head, Buffer.of(0xc3, 0x28), body.subarray(at)]),
    () => Buffer.from(`\u{FEFF}${text}`),
    () => Buffer.from(`${text}${text}`),
    () => Buffer.from(text.replace('{', '{"orgSlug":"acme","orgSlug":{},')),
    () => Buffer.from(text.replace('{', '{"__proto__":{"orgSlug":"acme"},')),
    () => Buffer.from(random.once(4) ? `{"a":${random.once(2) ? deep : deepAndClosed}}` : '{"a":[[[[1]]]]}'),
    () => (random.once(8) ? random.pick(tooLarge) : Buffer.concat([body, Buffer.alloc(70_000, ' ')])),
    () => Buffer.from(`${' '.repeat(random.int(2_000))}${text}\n`),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.alloc(0),
  ])()
}

const headers: readonly (readonly [name: string, values: readonly (string | string[])[]])[] = [
  [
    'authorization',
    [
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      'bearer x',
      'Bearer a, Bearer b',
      `Bearer ${'e'.repeat(9_000)}`,
      'Bearer a.b.c',
    ],
  ],
  ['content-type', ['', 'text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', '*/*']],
  ['content-encoding', ['gzip', 'identity', 'br, gzip', '?']],
  ['x-request-id', ['', 'a'.repeat(129), 'ok-1', 'b c', '\u00E9', ['one', 'two'], '<script>']],
  ['x-service-request-key', ['', 'k', 'k'.repeat(256), 'a b', '\u00E9', ['one', 'two']]],
  ['if-none-match', ['*', '""', 'W/"1"', '"1", "2"', 'x']],
  ['last-event-id', ['', 'dev:1', ':', 'dev:-1,dev:2', 'dev:99999999999999999999', ',,,', 'dev:1,'.repeat(900)]],
  ['origin', ['null', 'https://evil.example', '\u00E9']],
  ['x-forwarded-for', ['1.2.3.4', 'x', '::1, 9.9.9.9', ','.repeat(500)]],
  ['accept', ['', 'text/html', 'application/xml;q=2']],
  ['expect', ['100-continue', 'wonders']],
  ['upgrade', ['h2c', 'websocket']],
  ['connection', ['close', 'upgrade', 'x-request-id']],
  ['cookie', ['a=b; '.repeat(300), '=']],
]

export function mutateHeaders(sent: Sent, random: Random): void {
  const [name, values] = random.pick(headers)
  sent.headers[name] = random.pick(values)
}

export function mutateTarget(sent: Sent, random: Random): void {
  const { path } = sent
  random.pick<() => void>([
    () =>
      (sent.method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])),
    () => (sent.path = `${path}/`),
    () => (sent.path = path.toUpperCase()),
    () => (sent.path = `/${path}`),
    () => (sent.path = `${path}?${'a=1&'.repeat(random.int(400))}`),
    () => (sent.path = `${path}?orgSlug=acme&orgSlug=other&orgSlug[]=x&__proto__=1`),
    () => (sent.path = `${path}?%`),
    () => (sent.path = `${path}%00`),
    () => (sent.path = path.replace('/v1/', '/v1/%2e%2e/v1/')),
    () => (sent.path = `http://evil.example${path}`),
  ])()
}
