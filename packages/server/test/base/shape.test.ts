import { declarationFields, endpoints, type Endpoint } from '@rollkey/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { shapeOf } from '../../src/base/shape.ts'

const stage = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'prod' }
const roll = { seed: 'user-1', key: 'Zoë-用户-🚀', context: { plan: 'pro', age: 7, isStaff: true } }
const entry = { name: 'FLAG', declaredType: 'boolean', explain: true, ...roll }
const declaration = {
  name: 'PORT',
  declaredType: 'int64',
  description: 'Where it listens',
  exposure: 'plain',
  constraint: {
    pattern: '^8',
    minLength: 1,
    maxLength: 5,
    minimum: 1,
    maximum: 9e4,
    enum: ['80', '8080'],
    format: 'port',
  },
  required: ['prod'],
  owner: 'Payments',
  rotateEveryDays: 90,
  example: '8080',
}
/** A valid value of each schema that is compiled, with every field that it may have. */
const bodies: Record<string, Record<string, unknown>> = {
  evaluate: { ...stage, ...entry },
  evaluateBatch: { ...stage, entries: [entry, { name: 'OTHER' }], context: roll.context },
  pull: { ...stage, ...roll },
  ruleset: { ...stage, names: ['FLAG', 'OTHER'] },
  declaration,
}

/** What a client may send in place of a value. */
const others = [
  [undefined, null, true, 0, -1, Infinity, [], ['a'], {}, { a: 1 }, [{}], [[]]],
  ['', ' ', 'a', 'x'.repeat(257), 'y'.repeat(1_025), '\u{1f680}'.repeat(256), '\ud800', '\u0000', '\u0085'],
  ['int64', 'constructor', '__proto__', [{ name: 'A' }], [{ name: '' }], [null], { plan: {} }, { plan: ['a'] }],
  [Array.from({ length: 1_001 }, () => entry)],
].flat()

/** Returns the value with each of its parts left out, and replaced by each of `others`, once. */
function* mutations(value: unknown): Generator {
  yield* others
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value)) {
    const parent = value
    const replaced = (by: unknown): unknown =>
      Array.isArray(parent)
        ? parent.map((item: unknown, at) => (String(at) === name ? by : item))
        : { ...parent, [name]: by }
    if (!Array.isArray(parent)) yield Object.fromEntries(Object.entries(parent).filter(([each]) => each !== name))
    for (const mutation of mutations(part)) yield replaced(mutation)
  }
}

const compiled = [
  ...Object.entries<Endpoint>(endpoints).filter(([, { metered }]) => metered),
  ['declaration', { request: declarationFields }] as const,
]

test('every compiled schema has a value here', () => {
  expect(compiled.map(([name]) => name).toSorted()).toEqual(Object.keys(bodies).toSorted())
})

describe.each(compiled)('the shape of %s', (name, { request }) => {
  const accepts = shapeOf(request)

  test('accepts exactly what the schema accepts, which does not change it', () => {
    const body = bodies[name]
    const results = { accepted: 0, refused: 0 }
    for (const mutation of [body, ...mutations(body)]) {
      const parsed = request.safeParse(mutation)
      // Also a second time: nothing is kept of the call before.
      expect([accepts(mutation), accepts(mutation)], JSON.stringify(mutation)?.slice(0, 300)).toEqual([
        parsed.success,
        parsed.success,
      ])
      // The schema leaves out fields that it does not know.
      expect({ mutation }).toMatchObject({ mutation: parsed.data ?? mutation })
      results[parsed.success ? 'accepted' : 'refused']++
    }
    expect(results.accepted).toBeGreaterThan(20)
    expect(results.refused).toBeGreaterThan(100)
  })

  test('accepts fields that it does not know, like the schema', () => {
    const body = { ...bodies[name], more: 1 }
    expect([accepts(body), request.safeParse(body).success]).toEqual([true, true])
  })
})

test.each([
  ['transforms', z.string().transform(Number)],
  ['defaults', z.object({ a: z.string().default('') })],
  ['strict objects', z.strictObject({ a: z.string() })],
])('a schema with %s, which would change a value or refuse fields, is not compiled', (_, schema) => {
  expect(() => shapeOf(schema)).toThrow('cannot be compiled')
})
