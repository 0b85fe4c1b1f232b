/** Decisions inside the program, with the ruleset, the stream and the counts of the real service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { roll, secret } from '../../../server/testkit/entries.ts'
import { isLong } from '../../../server/testkit/long.ts'
import { seeded } from '../../../server/testkit/random.ts'
import { newOwner, useTestEnv, write, type TestTenant } from '../../../server/testkit/test-env.ts'
import { clientOf } from '../../src/client.ts'
import { createClient, type ClientOptions, type Fetch } from '../../src/index.ts'
import { TestHost } from '../../testkit/host.ts'

const testEnv = useTestEnv({ RATE_LIMIT_REQUESTS: '0' })

function optionsOf({ at, token }: TestTenant): ClientOptions {
  return { url: testEnv.app.url, org: at.orgSlug, project: at.projectSlug, stage: at.stageSlug, token }
}

async function reportedBy({ at, token }: TestTenant): Promise<{ a: number; b: number }> {
  const { hours } = await testEnv.client.must('rollCounts', { ...at, name: 'R' }, { token })
  const sums = { a: 0, b: 0 }
  for (const { reported = { a: 0, b: 0 } } of hours as { reported?: typeof sums }[]) {
    sums.a += reported.a
    sums.b += reported.b
  }
  return sums
}

test('a write reaches the decisions by the stream, with the names that changed', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('R', 1), secret('KEY', 'canary')])
  const client = createClient(optionsOf(tenant))
  onTestFinished(() => client.close())
  const local = await client.local()
  expect(local.get('R')).toBe('A')
  expect(() => local.get('KEY')).toThrow(expect.objectContaining({ code: 'NOT_LOCAL' }))
  const names: unknown[] = []
  local.on('change', (change) => names.push(change.names))
  // The first change may come before the stream is open, and is then polled without names.
  await expect
    .poll(async () => {
      await write(testEnv, tenant, [roll('R', 0)])
      return names.at(-1)
    })
    .toEqual(['R'])
  await expect.poll(() => local.get('R')).toBe('B')
})

test('each decision counts once, whatever happens to the reports', async () => {
  const random = seeded(7)
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('R', 1)])
  const host = new TestHost()
  const wantedCuts = isLong ? 200 : 20
  const cuts: string[] = []
  const fetch: Fetch = async (url, init) => {
    const fate = url.endsWith('/report') ? random() : 1
    if (fate < 0.25) throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    const answer = await globalThis.fetch(url, init)
    if (fate >= 0.6) return answer
    cuts.push(url)
    throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
  }
  const client = clientOf({ ...optionsOf(tenant), fetch, retry: false }, host)
  onTestFinished(() => client.close())
  const local = await client.local()
  let decided = 0
  while (cuts.length < wantedCuts) {
    const more = Math.ceil(random() * 5)
    for (let i = 0; i < more; i++) local.get('R')
    decided += more
    await host.advance(10_000)
  }
  // The last reports may have been cut too.
  await expect
    .poll(async () => {
      await host.advance(10_000)
      return reportedBy(tenant)
    })
    .toEqual({ a: decided, b: 0 })
})

/** Runs a program that decides once. It ends when nothing keeps it alive. */
async function decideInProgram(tenant: TestTenant, more: string): Promise<string> {
  const program = `
    import { createClient } from '${path.join(import.meta.dirname, '../../src/index.ts')}'
    const local = await createClient(JSON.parse(process.env.OPTIONS)).local()
    const value = local.get('R', { seed: 'user-1' })
    ${more}`
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'], OPTIONS: JSON.stringify(optionsOf(tenant)) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = text(child.stdout)
  const [status] = await once(child, 'exit')
  expect(status).toBe(0)
  return output
}

test('a program ends although it may decide again, and reports before that', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('R', 1)])
  expect(await decideInProgram(tenant, 'console.log(value)')).toBe('A\n')
  expect(await reportedBy(tenant)).toEqual({ a: 1, b: 0 })
})

test('a program ends although its report cannot be sent', async () => {
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('R', 1)])
  const cut = `
    const { fetch } = globalThis
    globalThis.fetch = (url, init) => (url.endsWith('/report') ? Promise.reject(new TypeError('cut')) : fetch(url, init))
    console.log(value)`
  expect(await decideInProgram(tenant, cut)).toBe('A\n')
  expect(await reportedBy(tenant)).toEqual({ a: 0, b: 0 })
})

test('no secret that is not named is in the memory of a program', async () => {
  const tenant = await newOwner(testEnv)
  const canary = `canary-${'x'.repeat(20)}`
  await write(testEnv, tenant, [roll('R', 1, 'shown-side'), secret('KEY', canary)])
  // The texts of the program itself must not have what it searches for.
  const search = `
    const { getHeapSnapshot } = await import('node:v8')
    const chunks = []
    for await (const chunk of getHeapSnapshot()) chunks.push(chunk)
    const heap = Buffer.concat(chunks)
    console.log(heap.includes('shown-' + 'side'), heap.includes('canary-' + 'x'.repeat(20)))
    process.exit(0)`
  expect(await decideInProgram(tenant, search)).toBe('true false\n')
})
