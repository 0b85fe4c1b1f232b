import { describe, expect, test } from 'vitest'
import { endpoints, hasHiddenCharacter, limits, withoutHiddenCharacters } from '@rollkey/contract'

const stage = { orgSlug: 'acme', projectSlug: 'shop', stageSlug: 'live' }

/** Returns whether a request has the shape of its endpoint. */
function accepts(name: keyof typeof endpoints, request: object): boolean {
  return endpoints[name].request.safeParse(request).success
}

const acceptsName = (name: string): boolean => accepts('evaluate', { ...stage, name })
const acceptsValue = (value: unknown): boolean =>
  accepts('write', { ...stage, mode: 'upsert', entries: [{ name: 'A', kind: 'secret', value }] })
const acceptsRoll = (roll: object): boolean => accepts('evaluate', { ...stage, name: 'A', ...roll })
const acceptsWrite = (write: object): boolean => accepts('write', { ...stage, mode: 'upsert', ...write })
const secret = (name: string) => ({ name, kind: 'secret', value: '' })

const loneSurrogates = ['\ud800', 'a\udfffb', '\udc00\ud800', '🚀\ud83d']

describe('a name', () => {
  test('has 1 to 256 characters', () => {
    expect(['', 'N', 'N'.repeat(256), 'N'.repeat(257)].map(acceptsName)).toEqual([false, true, true, false])
  })

  test('counts a character beyond the basic plane once', () => {
    expect(['🚀'.repeat(256), '🚀'.repeat(257), `${'🚀'.repeat(255)}ab`].map(acceptsName)).toEqual([true, false, false])
    expect(acceptsName(`${'🚀'.repeat(255)}a`)).toBe(true)
  })

  test('has no control characters', () => {
    const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index)]
    for (const code of controls) expect(acceptsName(`A${String.fromCharCode(code)}`), code.toString(16)).toBe(false)
    for (const beside of [' ', '~', '\u00a0', '\u2028', '\u200b']) expect(acceptsName(`A${beside}`)).toBe(true)
  })

  test('may be a property of JavaScript objects', () => {
    expect(['__proto__', 'constructor', 'toString', 'hasOwnProperty'].every(acceptsName)).toBe(true)
  })

  test.each(loneSurrogates)('has no lone surrogate: %j', (text) => {
    expect(acceptsName(text)).toBe(false)
  })
})

describe('a value', () => {
  test('has at most 65,536 bytes of UTF-8', () => {
    const maxBytes = limits.valueBytes
    expect(['', 'v'.repeat(maxBytes), 'v'.repeat(maxBytes + 1)].map(acceptsValue)).toEqual([true, true, false])
    expect(['é'.repeat(maxBytes / 2), `${'é'.repeat(maxBytes / 2)}v`].map(acceptsValue)).toEqual([true, false])
    expect(['用'.repeat(21_845), '用'.repeat(21_846)].map(acceptsValue)).toEqual([true, false])
    expect(['🚀'.repeat(maxBytes / 4), `${'🚀'.repeat(maxBytes / 4)}v`].map(acceptsValue)).toEqual([true, false])
  })

  test('may have control characters', () => {
    expect(acceptsValue('\u0000\n\u007f')).toBe(true)
  })

  test.each(loneSurrogates)('has no lone surrogate: %j', (text) => {
    expect(acceptsValue(text)).toBe(false)
  })

  test('is a string and nothing that could be converted to one', () => {
    for (const value of [1, true, null, ['a'], {}, undefined]) expect(acceptsValue(value)).toBe(false)
  })
})

describe('seed and key', () => {
  test.each(['seed', 'key'])('%s has at most 1,024 bytes of UTF-8', (field) => {
    const texts = ['', 's'.repeat(1_024), 's'.repeat(1_025), '🚀'.repeat(256), `${'🚀'.repeat(256)}s`]
    expect(texts.map((text) => acceptsRoll({ [field]: text }))).toEqual([true, true, false, true, false])
  })

  test.each(loneSurrogates)('have no lone surrogate: %j', (text) => {
    expect([acceptsRoll({ seed: text }), acceptsRoll({ key: text })]).toEqual([false, false])
  })
})

describe('a slug of a project or stage', () => {
  const acceptsSlug = (slug: string): boolean[] => [
    accepts('list', { ...stage, projectSlug: slug }),
    accepts('list', { ...stage, stageSlug: slug }),
  ]

  test.each(['a', 'Z', '0', 'shop', 'Shop-2.0_beta', 'a..b', 'a'.repeat(64)])('can be %j', (slug) => {
    expect(acceptsSlug(slug)).toEqual([true, true])
  })

  test.each(['', '-a', '.a', '_a', '..', 'a b', 'a/b', 'a\n', 'ä', 'a%2f', 'a:b', 'a'.repeat(65)])(
    'cannot be %j',
    (slug) => {
      expect(acceptsSlug(slug)).toEqual([false, false])
    },
  )

  test('of the organization may be anything that the provider issues', () => {
    expect(['', 'Ünïcode org', 'a'.repeat(500)].every((orgSlug) => accepts('list', { ...stage, orgSlug }))).toBe(true)
    expect(accepts('list', { ...stage, orgSlug: '\ud800' })).toBe(false)
  })
})

describe('a chance', () => {
  const acceptsChance = (chance: unknown): boolean =>
    acceptsWrite({ entries: [{ name: 'A', kind: 'ab_roll', valueA: '', valueB: '', chance }] })

  test('is a number from 0 to 1', () => {
    expect([0, -0, 5e-324, 0.5, 1 - 2 ** -53, 1].every(acceptsChance)).toBe(true)
    expect([-5e-324, -1, 1 + 2 ** -52, 2, Infinity, NaN, '0.5', null, undefined].some(acceptsChance)).toBe(false)
  })
})

describe('a write', () => {
  test('names a variable once', () => {
    expect(acceptsWrite({ entries: [secret('A'), secret('a')], deletes: ['B', 'b'] })).toBe(true)
    expect(acceptsWrite({ entries: [secret('A'), secret('B'), secret('A')] })).toBe(false)
    expect(acceptsWrite({ deletes: ['A', 'B', 'A'] })).toBe(false)
    expect(acceptsWrite({ entries: [secret('A')], deletes: ['A'] })).toBe(false)
    expect(acceptsWrite({ entries: [secret('__proto__')], deletes: ['__proto__'] })).toBe(false)
  })

  test('treats names as equal only if they are the same text', () => {
    expect(acceptsWrite({ entries: [secret('\u00e9'), secret('e\u0301')] })).toBe(true)
  })

  test('has at most 1,000 entries and 1,000 deletes', () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `N${index}`)
    const others = names.map((name) => `other ${name}`)
    expect(acceptsWrite({ entries: names.slice(1).map(secret), deletes: others.slice(1) })).toBe(true)
    expect(acceptsWrite({ entries: names.map(secret) })).toBe(false)
    expect(acceptsWrite({ deletes: names })).toBe(false)
  })

  test('without entries and deletes has none of either', () => {
    const parsed = endpoints.write.request.parse({ ...stage, mode: 'upsert' })
    expect([parsed.entries, parsed.deletes, parsed.ifRevision]).toEqual([[], [], undefined])
  })

  test('has one of two modes', () => {
    const modes = ['upsert', 'create_only', 'UPSERT', 'replace', null, undefined]
    expect(modes.map((mode) => accepts('write', { ...stage, mode }))).toEqual([true, true, false, false, false, false])
  })

  test('may have a revision, an integer from 0', () => {
    expect([0, 1, Number.MAX_SAFE_INTEGER].every((ifRevision) => acceptsWrite({ ifRevision }))).toBe(true)
    for (const ifRevision of [-1, 0.5, '1', null, Number.MAX_SAFE_INTEGER + 1]) {
      expect(acceptsWrite({ ifRevision }), String(ifRevision)).toBe(false)
    }
  })

  test('has complete entries with the fields of their kind', () => {
    const roll = { name: 'A', kind: 'ab_roll', valueA: 'a', valueB: 'b', chance: 1 }
    expect(acceptsWrite({ entries: [roll] })).toBe(true)
    for (const field of Object.keys(roll)) {
      expect(acceptsWrite({ entries: [{ ...roll, [field]: undefined }] }), field).toBe(false)
    }
    expect(acceptsWrite({ entries: [{ name: 'A', kind: 'ab_roll', value: 'v' }] })).toBe(false)
    expect(acceptsWrite({ entries: [{ name: 'A', kind: 'other', value: 'v' }] })).toBe(false)
  })

  test('accepts the declared types and no others', () => {
    const typed = (declaredType: unknown): boolean => acceptsWrite({ entries: [{ ...secret('A'), declaredType }] })
    expect(['string', 'boolean', 'int64', 'float', 'date', 'json', undefined].every(typed)).toBe(true)
    expect(['int', 'String', '', null, 'toString', '__proto__'].some(typed)).toBe(false)
  })

  test('ignores unknown fields', () => {
    expect(acceptsWrite({ later: 1, entries: [{ ...secret('A'), later: 1 }] })).toBe(true)
  })
})

describe('a batch', () => {
  test('has at most 1,000 entries, and may name a variable twice', () => {
    const batch = (length: number): boolean =>
      accepts('evaluateBatch', { ...stage, entries: Array.from({ length }, () => ({ name: 'A' })) })
    expect([0, 2, 1_000, 1_001].map(batch)).toEqual([true, true, true, false])
    expect(accepts('evaluateBatch', stage)).toBe(false)
  })
})

describe('the name of a client', () => {
  test('has at most 256 characters and no control characters', () => {
    const start = (clientName: unknown): boolean => accepts('deviceStart', { clientName })
    expect(['', 'Zoë’s laptop', '🚀'.repeat(256), undefined].every(start)).toBe(true)
    expect(['n'.repeat(257), 'a\nb', '\u001b[31m', '\ud800', 1, null].some(start)).toBe(false)
  })
})

describe('a name that people approve by sight', () => {
  const hidden = ['\n', '\u001b', '\u061c', '\u200b', '\u200e', '\u2028', '\u202e', '\u2060', '\u2066', '\ufeff']

  test('has no invisible character and none that changes the writing direction', () => {
    for (const character of hidden) expect(hasHiddenCharacter(`Ac${character}me`), JSON.stringify(character)).toBe(true)
    // The family emoji consists of several characters with zero-width joiners.
    for (const name of ['Zoë’s laptop', '用户', 'שלום', '👩\u200d👩\u200d👧'])
      expect(hasHiddenCharacter(name), name).toBe(false)
  })

  test('that was stored earlier is shown with a replacement for each of them', () => {
    expect(withoutHiddenCharacters(`Ac${hidden.join('')}me`)).toBe(`Ac${'\ufffd'.repeat(hidden.length)}me`)
  })
})

describe.each(Object.entries(endpoints))('%s', (_, endpoint) => {
  test('accepts an object and nothing else', () => {
    for (const body of [null, 'text', 1, true, []]) expect(endpoint.request.safeParse(body).success).toBe(false)
  })
})
