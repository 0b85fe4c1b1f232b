/** Sends generated requests in the shapes that Vault publishes for its KV API: each answer is one that Vault gives, and does what it says. */
import { expect, test } from 'vitest'
import { usageOf } from '../../testkit/app.ts'
import { secret } from '../../testkit/entries.ts'
import { seeded } from '../../testkit/random.ts'
import { newOwner, newServiceToken, useTestEnv, write } from '../../testkit/test-env.ts'
import { VaultClient } from '../../testkit/vault.ts'

const testEnv = useTestEnv()
const requests = 300
const random = seeded(42)
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

const stages = ['prod', 'dev', 'typo']
const names = ['A', 'B', 'a/b', '100%', '__proto__', 'ü', 'NEW']
const values = ['', 'x', '"\\\n\u2028', '日本', '{"a":1}', '0', 'x'.repeat(5_000)]

/** What the stages have. */
type Model = Map<string, Map<string, string>>

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Returns what must come of it. Changes the model for a write that succeeds. */
  readonly expected: (model: Model) => number
}

function readOf(stage: string, name?: string): Sent {
  const path = `shop/data/${stage}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
  return {
    method: 'GET',
    path,
    expected: (model) => (model.has(stage) && (name === undefined || model.get(stage)?.has(name)) ? 200 : 404),
  }
}

function generated(): Sent {
  const [stage, name, value] = [pick(stages), pick(names), pick<unknown>([...values, 1, true, null, {}, []])]
  const isText = typeof value === 'string'
  switch (Math.floor(random() * 10)) {
    case 0:
    case 1:
      return readOf(stage)
    case 2:
    case 3:
      return readOf(stage, name)
    case 4:
      return {
        method: pick(['POST', 'PUT']),
        path: `shop/data/${stage}/${encodeURIComponent(name)}`,
        body: { data: { value }, ...(random() < 0.3 && { options: {} }) },
        expected(model) {
          if (!isText) return 400
          model.set(stage, (model.get(stage) ?? new Map<string, string>()).set(name, value))
          return 200
        },
      }
    case 5:
      return {
        method: 'PATCH',
        path: `shop/data/${stage}`,
        body: { data: Object.fromEntries([[name, value]]) },
        expected(model) {
          const of = model.get(stage)
          if (!isText && value !== null) return 400
          if (!of) return 404
          if (isText) of.set(name, value)
          else of.delete(name)
          return 200
        },
      }
    case 6: {
      const isEmpty = (model: Model) => (model.get(stage)?.size ?? 0) === 0
      const list = { path: `shop/metadata/${stage}`, expected: (model: Model) => (isEmpty(model) ? 404 : 200) }
      return random() < 0.5 ? { method: 'LIST', ...list } : { ...list, method: 'GET', path: `${list.path}?list=true` }
    }
    case 7: {
      const kind = pick(['metadata', 'subkeys'])
      return { method: 'GET', path: `shop/${kind}/${stage}`, expected: (model) => (model.has(stage) ? 200 : 404) }
    }
    case 8: {
      const [method, path] = pick([
        ['GET', 'sys/mounts'],
        ['GET', 'sys/mounts/shop'],
        ['GET', 'sys/internal/ui/mounts/shop/prod'],
        ['GET', 'sys/health'],
        ['GET', 'auth/token/lookup-self'],
        ['PUT', 'auth/token/renew-self'],
        ['LIST', 'shop/metadata'],
      ] as const)
      return { method, path, ...(method === 'PUT' && { body: {} }), expected: () => 200 }
    }
    default: {
      const [method, path, status] = pick([
        ['DELETE', `shop/data/${stage}`, 405],
        ['POST', `shop/undelete/${stage}`, 405],
        ['PUT', `shop/data/${stage}`, 405],
        ['GET', 'shop/config', 404],
        ['GET', `shop/${stage}`, 404],
        ['GET', 'sys/policies/acl', 404],
        ['GET', `other/data/${stage}`, 403],
        ['LIST', 'other/metadata', 403],
        ['GET', `shop/data/${stage}?version=9999`, 403],
      ] as const)
      const isMissing = (model: Model) => path.includes('version=') && !model.has(stage)
      return { method, path, expected: (model) => (isMissing(model) ? 404 : status) }
    }
  }
}

test(`${requests} generated requests`, async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [secret('A', 'a'), secret('B', 'b')])
  const { token } = await newServiceToken(testEnv, tenant, { projectSlug: 'shop', role: 'developer' })
  const model: Model = new Map([
    [
      'prod',
      new Map([
        ['A', 'a'],
        ['B', 'b'],
      ]),
    ],
  ])
  const nodes = testEnv.app.urls.map((url) => new VaultClient(url))
  const statuses = new Map<number, number>()
  let reads = 0
  for (let count = 0; count < requests; count++) {
    const { method, path, body, expected } = generated()
    const vault = pick(nodes)
    const answer = await vault.send(method, path, { token, ...(body !== undefined && { body }) })
    expect(answer.status, `${count}: ${method} ${path} ${JSON.stringify(body)} ${answer.text.slice(0, 200)}`).toBe(
      expected(model),
    )
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const [, stage = '', name] = /^shop\/data\/(\w+)(?:\/(.+))?$/.exec(path) ?? []
    if (method !== 'GET' || answer.status !== 200 || stage === '') continue
    reads++
    const of = model.get(stage) as Map<string, string>
    const whole = [...of].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const wanted = name === undefined ? whole : [['value', of.get(decodeURIComponent(name))]]
    expect(Object.entries(answer.body.data.data as object).toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual(wanted)
  }
  expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 400, 403, 404, 405])
  expect(await usageOf(testEnv.app, tenant.at.orgSlug)).toBe(reads)
})
