/** Plays exchanges of External Secrets' provider with OpenBao: each answer has the recorded status and shape. */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { secret } from '../../testkit/entries.ts'
import { tenantAt, write } from '../../testkit/test-env.ts'
import { VaultClient } from '../../testkit/vault.ts'
import { useTrustScene } from '../trusts/scene.ts'

interface Exchange {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Record<string, string>
    readonly body?: object
  }
  readonly response: { readonly status: number; readonly body: object }
}

const file = new URL('../../testkit/fixtures/vault/exchanges.json', import.meta.url)
const exchanges = JSON.parse(readFileSync(file, 'utf8')) as Exchange[]
const scene = useTrustScene()

/** Creates the stage `secret/foo` with two revisions. Returns what stands in the place of the fixture's words. */
async function prepared() {
  const owner = await scene.newOwner()
  const foo = tenantAt(owner, { projectSlug: 'secret', stageSlug: 'foo' })
  await write(scene.testEnv, foo, [secret('USER', 'app'), secret('PASSWORD', 'old')])
  await write(scene.testEnv, foo, [secret('PASSWORD', 'new')])
  const trust = await scene.trust({ projectSlug: 'secret', role: 'reader', history: true }, owner)
  const words = { ROLE: trust.id as string, JWT: await scene.token(), NAMESPACE: owner.at.orgSlug }
  return { owner, words: { ...words, TOKEN: await scene.accessToken(words.ROLE) } }
}

/** Members whose names are those of secrets or of claims. */
const maps = new Set(['metadata of auth', 'data of data'])

/** Returns the names and types of all members. */
function shapeOf(value: unknown, name = '', of = ''): unknown {
  if (maps.has(`${name} of ${of}`)) return 'map'
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  const members = Object.entries(value).map(([key, member]) => [key, shapeOf(member, key, name)])
  return Object.fromEntries(members.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

async function play({ request }: Exchange, words: Record<string, string>) {
  const filled = (text: string): string =>
    Object.entries(words).reduce((all, [word, by]) => all.replaceAll(word, by), text)
  const headers = JSON.parse(filled(JSON.stringify(request.headers))) as Record<string, string>
  const { method, path, body } = request
  return new VaultClient(scene.testEnv.app.url).send(method, path, {
    headers,
    ...(body && { raw: filled(JSON.stringify(body)) }),
  })
}

test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))('%s', async (_, exchange) => {
  const { words } = await prepared()
  const { status, body } = await play(exchange, words)
  expect([status, shapeOf(body)]).toEqual([exchange.response.status, shapeOf(exchange.response.body)])
  const { data } = (exchange.response.body as { data?: { data?: object } | null }).data ?? {}
  expect(data === undefined || isDeepStrictEqual(body.data.data, data)).toBe(true)
})

test('a narrowed grant never looks like a deletion', async () => {
  const { owner, words } = await prepared()
  const reads = exchanges.filter(({ request }) => request.headers['X-Vault-Token'] !== undefined)
  const narrow = await scene.trust({ projectSlug: 'shop', role: 'reader', history: true }, owner)
  for (const role of ['viewer', 'reader'] as const) {
    // What the trust may do is narrowed while its token is in use, then the token is one of another project.
    if (role === 'viewer') await scene.must('trustUpdate', { id: words.ROLE, role }, owner)
    const token = await scene.accessToken(role === 'viewer' ? words.ROLE : (narrow.id as string))
    for (const exchange of reads) {
      const { status, body } = await play(exchange, { ...words, TOKEN: token })
      const isList = !exchange.request.path.includes('/data/')
      if (role === 'viewer' && isList) continue
      expect(status, exchange.name).toBe(403)
      expect(body.errors[0]).toBe('permission denied')
    }
  }
  const ended = await scene.accessToken(narrow.id as string)
  await scene.must('trustDelete', { id: narrow.id }, owner)
  for (const exchange of reads) expect((await play(exchange, { ...words, TOKEN: ended })).status).toBe(403)
})
