/** Checks of an answer beyond status and code. `about` in cases.json explains each check. */
import { expect } from 'vitest'
import { unitOf } from '../../src/evaluation/bucket.ts'
import type { Scene } from './test-env.ts'
import { names } from './test-env.ts'
import { usageOf } from '../../testkit/app.ts'
import type { WireAnswer } from './wire.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any shape
type Body = any

export interface Checked extends WireAnswer {
  readonly body: Body
  readonly sentRequestId: string | undefined
}

type Check = (expected: Body, answer: Checked, scene: Scene) => void | Promise<void>

function at(body: Body, path: string): unknown {
  return path.split('.').reduce<Body>((value, part) => value?.[part], body)
}

function keysAtAnyDepth(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...keysAtAnyDepth(item)])
}

function each(expected: object, check: (name: string, value: Body) => void): void {
  for (const [name, value] of Object.entries(expected)) check(name, value)
}

export const checks: Readonly<Record<string, Check>> = {
  equals: (expected, { body }) => each(expected, (path, value) => expect(at(body, path), path).toEqual(value)),
  matches: (expected, { body }) =>
    each(expected, (path, pattern) => expect(at(body, path), path).toMatch(new RegExp(pattern as string))),
  types: (expected, { body }) => each(expected, (path, type) => expect(typeof at(body, path), path).toBe(type)),
  absentKeys: (expected: string[], { body }) => {
    const present = keysAtAnyDepth(body)
    for (const name of expected) expect(present).not.toContain(name)
  },
  contains: (expected: string[], { text }) => {
    for (const part of expected) expect(text).toContain(part)
  },
  lacks: (expected: string[], { text }) => {
    for (const part of expected) expect(text).not.toContain(part)
  },
  headers: (expected, { headers }) =>
    each(expected, (name, start) => expect(String(headers[name]).startsWith(start as string), name).toBe(true)),
  headerWords: (expected, { headers }) =>
    each(expected, (name, words) => {
      const actual = String(headers[name])
        .toLowerCase()
        .split(/[\s,]+/)
      expect(actual, name).toEqual(expect.arrayContaining(words as string[]))
    }),
  noHeaders: (expected: string[], { headers }) => {
    for (const name of expected) expect(headers[name], name).toBeUndefined()
  },
  allStrings: (path: string, { body }) => {
    const values = Object.values(at(body, path) as object)
    expect(values.length).toBeGreaterThan(0)
    for (const value of values) expect(value).toBeTypeOf('string')
  },
  listedChance: (expected, { body }) =>
    each(expected, (name, chance) => expect(listed(body, name)?.chance).toBe(chance)),
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
  usage: async (expected: number, _, scene) => expect(await usageOf(scene.app, scene.org.slug)).toBe(expected),
  idpKeyFetchesAtMost: (max: number, _, scene) => expect(scene.testEnv.provider.keyFetches).toBeLessThanOrEqual(max),
}

function listed(body: Body, name: string): Body {
  return (body.variables as Body[]).find((variable) => variable.name === name)
}
