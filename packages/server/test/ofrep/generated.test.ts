/** Tests generated requests of OFREP: each answer is one that the protocol documents, and equal requests get equal bytes. */
import { expect, test } from 'vitest'
import { roll, secret } from '../../testkit/entries.ts'
import { OfrepClient } from '../../testkit/ofrep.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../../testkit/test-env.ts'
import { seeded } from '../../testkit/random.ts'

const testEnv = useTestEnv()
const requests = 2_000
const random = seeded(7)
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

/** Texts by declared type. */
const texts = {
  string: ['', 'hi', '"\\\n\u2028', '日本', '</script>', '0'],
  boolean: ['true', 'false'],
  int64: ['0', '-1', '9007199254740991', '9007199254740992', '-9223372036854775808'],
  float: ['0.0', '-0', '1e300', '0.1', '12345678901234567890.5'],
  date: ['2027-01-31', '2027-01-31T08:00:00Z'],
  json: ['{}', '[]', 'null', 'true', '1', '"x"', '{"a":{"b":[1,{"c":null}]}}', ' { "a" : 1 } '],
} as const

type Type = keyof typeof texts
const types = Object.keys(texts) as Type[]

/** What the value of a flag may be. */
const typeOfValue: Record<Type, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  int64: (value) => Number.isSafeInteger(value),
  float: (value) => typeof value === 'number',
  date: (value) => typeof value === 'string',
  json: (value) => value !== undefined,
}

function entryOf(index: number): object {
  const declaredType = pick(types)
  const name = `${declaredType} ${index}`
  if (index % 3 > 0) return secret(name, pick(texts[declaredType]), declaredType)
  const [a, b] = [pick(texts[declaredType]), pick(texts[declaredType])]
  return { ...roll(name, pick([0, 0.3, 0.5, 1]), a, b), declaredType }
}

const attributes: readonly unknown[] = [
  'pro',
  '',
  1,
  -0.5,
  true,
  null,
  ['x'],
  { nested: { deep: [] } },
  '日本',
  '\u0000',
]
const keys: readonly unknown[] = [
  'user-1',
  'user-2',
  'ü',
  '',
  'x'.repeat(1_024),
  'x'.repeat(1_025),
  null,
  1,
  [],
  {},
  true,
]

function contextOf(): unknown {
  if (random() < 0.1) return pick<unknown>([undefined, null, [], 'user-1', 1, true])
  const context: Record<string, unknown> = {}
  if (random() < 0.8) context['targetingKey'] = random() < 0.7 ? `user-${Math.floor(random() * 9)}` : pick(keys)
  if (random() < 0.2) context['rollKey'] = random() < 0.7 ? 'checkout' : pick(keys)
  for (let more = Math.floor(random() * 4); more > 0; more--)
    context[pick(['plan', 'age', '__proto__', 'ü', ''])] = pick(attributes)
  return context
}

interface SeenFlag {
  readonly key: string
  readonly value?: unknown
  readonly errorCode?: string
}

function expectTyped(flag: SeenFlag): void {
  if (flag.errorCode !== undefined) return
  const [type = ''] = flag.key.split(' ')
  expect(typeOfValue[type as Type](flag.value), `${flag.key}: ${JSON.stringify(flag.value)}`).toBe(true)
}

test(`${requests} generated requests`, async () => {
  const tenant = await newOwner(testEnv)
  const entries = Array.from({ length: 60 }, (_, index) => entryOf(index))
  await write(testEnv, tenant, entries)
  const names = (await testEnv.client.must('list', tenant.at, { token: tenant.token })).variables as { name: string }[]
  const { projectSlug, stageSlug } = tenant.at
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug, stageSlug, role: 'reader' })
  const nodes = testEnv.app.urls.map((url) => new OfrepClient(url))
  const statuses = new Map<string, number>()
  const answered: { readonly raw: string; readonly etag: string }[] = []
  for (let count = 0; count < requests; count++) {
    const generated =
      random() < 0.03 ? pick(['', '{', '[]', '{"context":{}', 'null']) : JSON.stringify({ context: contextOf() })
    const isBulk = random() < 0.3
    const key = random() < 0.9 ? pick(names).name : pick(['missing', 'a/b', '%', ' ', 'x'.repeat(300)])
    const again = isBulk && answered.length > 0 && random() < 0.3 ? pick(answered) : undefined
    const raw = again?.raw ?? generated
    const extras = { token, raw, ...(again && { headers: { 'if-none-match': again.etag } }) }
    // The client checks each answer against the document of OFREP.
    const send = (node: OfrepClient) => (isBulk ? node.all(undefined, extras) : node.one(key, undefined, extras))
    const [one, other] = await Promise.all([send(nodes[0] as OfrepClient), send(nodes.at(-1) as OfrepClient)])
    const label = `${isBulk ? 'all' : key} ${raw.slice(0, 200)}`
    expect([other.status, other.text, other.headers.get('etag')], label).toEqual([
      one.status,
      one.text,
      one.headers.get('etag'),
    ])
    const isAnswered = one.status === 200
    const flags = (isAnswered ? (isBulk ? one.body.flags : [one.body]) : []) as SeenFlag[]
    for (const flag of flags) expectTyped(flag)
    expect(flags).toHaveLength(Number(isAnswered) * (isBulk ? names.length : 1))
    if (isAnswered && isBulk && answered.length < 20) answered.push({ raw, etag: one.headers.get('etag') ?? '' })
    const outcome = one.status === 400 ? `400 ${one.body.errorCode}` : String(one.status)
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
  }
  const outcomes = [...statuses.keys()].toSorted((a, b) => a.localeCompare(b, 'en'))
  expect(outcomes).toEqual([
    '200',
    '304',
    '400 GENERAL',
    '400 INVALID_CONTEXT',
    '400 PARSE_ERROR',
    '400 TARGETING_KEY_MISSING',
    '404',
  ])
})
