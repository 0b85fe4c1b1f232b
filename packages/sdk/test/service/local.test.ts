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
import type { Life } from './workers/live-until-killed.ts'

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
      const { revision } = await write(testEnv, tenant, [roll('R', 0)])
      await expect.poll(() => local.revision).toBe(revision)
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

/** When a program is killed: with decisions that it has not reported, before or after its report is counted, or after the answer. */
const moments = ['unreported', 'killedBefore', 'killedAfter', 'answered'] as const

interface ExpectedLife {
  readonly life: Omit<Life, 'options'>
  /** Number of its decisions that count. */
  readonly counted: number
}

/** Returns the life of a program that meets an outage and is killed after it. */
function newLife(random: () => number, moment: (typeof moments)[number], outageIntervals: number): ExpectedLife {
  const decide = (): number => 1 + Math.floor(random() * 5)
  const calm = decide()
  const outage = Array.from({ length: outageIntervals }, () => ({
    decisions: decide(),
    fates: [random() < 0.5 ? 'lost' : 'refused'] as const,
  }))
  const last = decide()
  // The first report of an outage is sent again until it is answered, and then one with all later decisions.
  const [first, ...later] = outage
  const others = later.reduce((sum, { decisions }) => sum + decisions, last)
  const isFirstCounted = moment !== 'unreported' || outage.some(({ fates: [fate] }) => fate === 'lost')
  const isLastCounted = moment === 'killedAfter' || moment === 'answered'
  return {
    counted: calm + (isFirstCounted ? (first?.decisions ?? 0) : 0) + (isLastCounted ? others : 0),
    life: {
      intervals: [
        { decisions: calm, fates: ['answered'] },
        ...outage,
        ...(moment === 'unreported'
          ? []
          : [{ decisions: last, fates: [...(first ? ['answered' as const] : []), moment] }]),
      ],
      lastDecisions: moment === 'unreported' ? last : 0,
    },
  }
}

/** Runs a program until it kills itself. */
async function live(life: Life): Promise<void> {
  const program = path.join(import.meta.dirname, 'workers/live-until-killed.ts')
  const child = spawn(process.execPath, ['--conditions=source', program, JSON.stringify(life)], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
}

test('a kill loses only what was not reported yet, and after an outage nothing counts twice', async () => {
  const random = seeded(11)
  const tenant = await newOwner(testEnv)
  await write(testEnv, tenant, [roll('R', 1)])
  let counted = 0
  for (let kill = 0; kill < (isLong ? 200 : moments.length); kill++) {
    const moment = moments[kill % moments.length] ?? 'unreported'
    const { life, counted: more } = newLife(random, moment, isLong ? Math.floor(random() * 4) : 2)
    await live({ ...life, options: optionsOf(tenant) })
    counted += more
    expect(await reportedBy(tenant), JSON.stringify({ moment, life })).toEqual({ a: counted, b: 0 })
  }
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
