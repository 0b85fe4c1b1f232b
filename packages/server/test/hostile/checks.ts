/** What an answer must look like beyond status and code; `about` in cases.json says what each check means. */
import { expect } from 'vitest'
import { unitOf } from '../../src/evaluation/bucket.ts'
import type { Scene } from './world.ts'
import { names } from './world.ts'
import { usageOf } from '../../testkit/app.ts'
import type { WireAnswer } from './wire.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any shape
type Body = any

export interface Checked extends WireAnswer {
  readonly body: Body
  readonly sentRequestId: string | undefined
}

type Check = (wanted: Body, answer: Checked, scene: Scene) => void | Promise<void>

function at(body: Body, path: string): unknown {
  return path.split('.').reduce<Body>((value, part) => value?.[part], body)
}

function keysAtAnyDepth(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...keysAtAnyDepth(item)])
}

function each(wanted: object, check: (name: string, value: Body) => void): void {
  for (const [name, value] of Object.entries(wanted)) check(name, value)
}

export const checks: Readonly<Record<string, Check>> = {
  equals: (wanted, { body }) => each(wanted, (path, value) => expect(at(body, path), path).toEqual(value)),
  matches: (wanted, { body }) =>
    each(wanted, (path, pattern) => expect(at(body, path), path).toMatch(new RegExp(pattern as string))),
  types: (wanted, { body }) => each(wanted, (path, type) => expect(typeof at(body, path), path).toBe(type)),
  absentKeys: (wanted: string[], { body }) => {
    const present = keysAtAnyDepth(body)
    for (const name of wanted) expect(present).not.toContain(name)
  },
  contains: (wanted: string[], { text }) => {
    for (const part of wanted) expect(text).toContain(part)
  },
  lacks: (wanted: string[], { text }) => {
    for (const part of wanted) expect(text).not.toContain(part)
  },
  headers: (wanted, { headers }) =>
    each(wanted, (name, start) => expect(String(headers[name]).startsWith(start as string), name).toBe(true)),
  headerWords: (wanted, { headers }) =>
    each(wanted, (name, words) => {
      const found = String(headers[name])
        .toLowerCase()
        .split(/[\s,]+/)
      expect(found, name).toEqual(expect.arrayContaining(words as string[]))
    }),
  noHeaders: (wanted: string[], { headers }) => {
    for (const name of wanted) expect(headers[name], name).toBeUndefined()
  },
  allStrings: (path: string, { body }) => {
    const values = Object.values(at(body, path) as object)
    expect(values.length).toBeGreaterThan(0)
    for (const value of values) expect(value).toBeTypeOf('string')
  },
  listedChance: (wanted, { body }) => each(wanted, (name, chance) => expect(listed(body, name)?.chance).toBe(chance)),
  listed: (name: string, { body }) => expect(listed(body, name)).toBeDefined(),
  pulled: ({ name, value }, { body }) => {
    expect(Object.hasOwn(body.variables as object, name as string)).toBe(true)
    expect(Object.getOwnPropertyDescriptor(body.variables, name as string)?.value).toBe(value)
  },
  decision: ({ seed, key, chance }, { body }) =>
    expect(body.decision).toBe(unitOf(names.abName, seed as string, key as string) < chance ? 'a' : 'b'),
  idReplaced: (_, { body, sentRequestId }) => {
    expect(body.requestId).not.toBe(sentRequestId)
    expect(body.requestId).toMatch(/^[\x21-\x7e]{1,128}$/)
  },
  emptyBody: (_, { text }) => expect(text).toBe(''),
  emptyBodyAllowed: () => {},
  usage: async (wanted: number, _, scene) => expect(await usageOf(scene.app, scene.org.slug)).toBe(wanted),
  idpKeyFetchesAtMost: (most: number, _, scene) => expect(scene.testEnv.provider.keyFetches).toBeLessThanOrEqual(most),
}

function listed(body: Body, name: string): Body {
  return (body.variables as Body[]).find((variable) => variable.name === name)
}
